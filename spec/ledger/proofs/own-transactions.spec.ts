import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import { createOwnTransactions } from '../../../src/ledger/proofs/own-transactions.js';
import type { MinedTransaction } from '../../../src/ledger/signed-transaction.js';

const mined = (hash: Hex, blockHash: Hex, transactionHash = hash): MinedTransaction =>
  ({ signed: { hash, raw: `0xf8${hash.slice(2)}` }, receipt: { blockHash, transactionHash } }) as never;

describe('the transactions of a node of the service', () => {
  it('are known by their block, once', () => {
    const own = createOwnTransactions();
    for (const one of [mined('0x01', '0xaa'), mined('0x02', '0xbb'), mined('0x03', '0xaa')])
      own.remember(one);
    expect([...own.take('0xaa')!]).to.deep.equal([
      ['0x01', '0xf801'],
      ['0x03', '0xf803'],
    ]);
    expect(own.take('0xaa')).to.equal(undefined);
    expect([...own.take('0xbb')!.keys()]).to.deep.equal(['0x02']);
  });

  it('are not known by another signature than the one in the block', () => {
    const own = createOwnTransactions();
    own.remember(mined('0x01', '0xaa', '0x02'));
    expect(own.take('0xaa')).to.equal(undefined);
  });

  it('are forgotten with the oldest block, beyond the limit', () => {
    const own = createOwnTransactions(3);
    for (const one of [mined('0x01', '0xaa'), mined('0x02', '0xbb'), mined('0x02', '0xbb')])
      own.remember(one);
    for (const one of [mined('0x03', '0xbb'), mined('0x04', '0xcc')]) own.remember(one);
    expect(own.take('0xaa')).to.equal(undefined);
    expect([...own.take('0xbb')!.keys()]).to.deep.equal(['0x02', '0x03']);
    for (const one of [mined('0x05', '0xdd'), mined('0x06', '0xdd')]) own.remember(one);
    expect(own.take('0xcc')?.size).to.equal(1);
  });
});
