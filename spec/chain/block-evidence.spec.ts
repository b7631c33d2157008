import { expect } from 'chai';
import { evidenceReader } from '../../src/chain/block-evidence.js';
import type { Hex } from '../../src/chain/port.js';

const BLOCK = '0xb1';
const HASHES: readonly Hex[] = ['0x01', '0x02'];
const RECEIPTS = HASHES.map((transactionHash) => ({ transactionHash }));

describe('the evidence of a block', () => {
  /** A node that has the block, with the transactions as objects if asked so, and the requests that it got. */
  function node() {
    const asked: string[] = [];
    const read = evidenceReader(async (method, params) => {
      asked.push(method);
      if (method === 'eth_getBlockReceipts') return RECEIPTS;
      if (method !== 'eth_getBlockByHash') return '0x';
      const isWhole = params[1] === true;
      return { hash: BLOCK, transactions: HASHES.map((hash) => (isWhole ? { hash, nonce: '0x0' } : hash)) };
    });
    return { asked, read };
  }
  const known = (hashes: readonly Hex[], receipts = false) => ({
    raw: new Map(hashes.map((hash) => [hash, `0xf8${hash.slice(2)}` as Hex])),
    receipts,
  });

  it('is the header and the receipts if all transactions are known', async () => {
    const { asked, read } = node();
    const evidence = await read(BLOCK, known(HASHES));
    expect(evidence!.block.transactions).to.deep.equal(HASHES.map((hash) => ({ hash })));
    expect(evidence!.receipts).to.deep.equal(RECEIPTS);
    expect(evidence!.raw.transactions).to.deep.equal({ '0x01': '0xf801', '0x02': '0xf802' });
    expect(asked.toSorted()).to.deep.equal([
      'debug_getRawHeader',
      'debug_getRawReceipts',
      'eth_getBlockByHash',
      'eth_getBlockReceipts',
    ]);
  });

  it('is the header alone if all receipts are known too', async () => {
    const { asked, read } = node();
    const evidence = await read(BLOCK, known(HASHES, true));
    expect(evidence!.block.transactions).to.deep.equal(HASHES.map((hash) => ({ hash })));
    expect(evidence!.receipts).to.equal(undefined);
    expect(asked.toSorted()).to.deep.equal(['debug_getRawHeader', 'eth_getBlockByHash']);
  });

  it('has the receipts of a block with a transaction that is not known', async () => {
    const evidence = await node().read(BLOCK, known(HASHES.slice(1), true));
    expect(evidence).to.deep.equal(await node().read(BLOCK));
  });

  it('has all transactions as the node gives them if one is not known, and asks for nothing twice', async () => {
    const { asked, read } = node();
    const evidence = await read(BLOCK, known(HASHES.slice(1)));
    expect(evidence).to.deep.equal(await node().read(BLOCK));
    expect(evidence!.block.transactions[0]).to.deep.equal({ hash: '0x01', nonce: '0x0' });
    expect(asked.toSorted()).to.deep.equal([
      'debug_getRawBlock',
      'debug_getRawHeader',
      'debug_getRawReceipts',
      // With the hashes of its transactions, then with the transactions.
      'eth_getBlockByHash',
      'eth_getBlockByHash',
      'eth_getBlockReceipts',
    ]);
  });
});
