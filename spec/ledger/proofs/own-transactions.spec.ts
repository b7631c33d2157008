import { expect } from 'chai';
import type { ChainLog, Hex } from '../../../src/chain/port.js';
import { TOPIC } from '../../../src/chain/timestamp-call.js';
import { createOwnTransactions } from '../../../src/ledger/proofs/own-transactions.js';
import type { MinedTransaction } from '../../../src/ledger/signed-transaction.js';

const EVENT: Pick<ChainLog, 'address' | 'topics' | 'data'> = {
  address: '0xc0',
  topics: [TOPIC, '0x0a', '0x0b'],
  data: '0x',
};

const mined = (hash: Hex, blockHash: Hex, receipt: object = {}): MinedTransaction => {
  const common = {
    transactionHash: hash,
    to: '0xc0',
    status: '0x1',
    cumulativeGasUsed: '0x5d24',
    logs: [EVENT],
  };
  return {
    signed: { hash, raw: `0xf8${hash.slice(2)}` },
    receipt: { ...common, blockHash, ...receipt },
  } as never;
};

describe('the transactions of a node of the service', () => {
  it('are known by their block, once', () => {
    const own = createOwnTransactions();
    for (const one of [mined('0x01', '0xaa'), mined('0x02', '0xbb'), mined('0x03', '0xaa')])
      own.remember(one);
    const { raw, gas } = own.take('0xaa')!;
    expect([...raw]).to.deep.equal([
      ['0x01', '0xf801'],
      ['0x03', '0xf803'],
    ]);
    expect([...gas]).to.deep.equal([
      ['0x01', '0x5d24'],
      ['0x03', '0x5d24'],
    ]);
    expect(own.take('0xaa')).to.equal(undefined);
    expect(hashesOf(own.take('0xbb'))).to.deep.equal(['0x02']);
  });

  it('are not known by another signature than the one in the block', () => {
    const own = createOwnTransactions();
    own.remember(mined('0x01', '0xaa', { transactionHash: '0x02' }));
    expect(own.take('0xaa')).to.equal(undefined);
  });

  it('have a receipt that is known only if it has their event and nothing else', () => {
    const receipts: Readonly<Record<string, object>> = {
      failed: { status: '0x0', logs: [] },
      'two events': { logs: [EVENT, EVENT] },
      'another event': { logs: [{ ...EVENT, topics: ['0x0c', '0x0a', '0x0b'] }] },
      data: { logs: [{ ...EVENT, data: '0x00' }] },
      'another contract': { logs: [{ ...EVENT, address: '0xc1' }] },
    };
    for (const [what, receipt] of Object.entries(receipts)) {
      const own = createOwnTransactions();
      own.remember(mined('0x01', '0xaa', receipt));
      const { raw, gas } = own.take('0xaa')!;
      expect([raw.size, gas.size], what).to.deep.equal([1, 0]);
    }
  });

  it('are forgotten with the oldest block, beyond the limit', () => {
    const own = createOwnTransactions(3);
    for (const one of [mined('0x01', '0xaa'), mined('0x02', '0xbb'), mined('0x02', '0xbb')])
      own.remember(one);
    for (const one of [mined('0x03', '0xbb'), mined('0x04', '0xcc')]) own.remember(one);
    expect(own.take('0xaa')).to.equal(undefined);
    expect(hashesOf(own.take('0xbb'))).to.deep.equal(['0x02', '0x03']);
    for (const one of [mined('0x05', '0xdd'), mined('0x06', '0xdd')]) own.remember(one);
    expect(own.take('0xcc')?.raw.size).to.equal(1);
  });
});

describe('the number of transactions of a block', () => {
  const at = (index: number, blockHash: Hex = '0xaa'): MinedTransaction =>
    mined(`0x0${index}`, blockHash, { transactionIndex: `0x${index.toString(16)}` });

  it('is known if all of them are, in any order', () => {
    const own = createOwnTransactions();
    expect(own.sizeOf('0xaa')).to.equal(Infinity);
    own.remember(at(1));
    expect(own.sizeOf('0xaa')).to.equal(Infinity);
    own.remember(at(0));
    own.remember(at(1));
    expect(own.sizeOf('0xaa')).to.equal(2);
    own.remember(at(3));
    expect(own.sizeOf('0xaa')).to.equal(Infinity);
  });
});

describe('a block of transactions of a node of the service', () => {
  const remember = (
    own: ReturnType<typeof createOwnTransactions>,
    numbers: readonly number[],
    block: Hex,
  ) => {
    for (const i of numbers) own.remember(mined(`0x0${i}`, block, { transactionIndex: `0x${i}` }));
  };

  it('is soon forgotten once nine tenths of the limit came with it and after it', () => {
    const own = createOwnTransactions(10);
    remember(own, [0, 1, 2, 3, 4], '0xaa');
    remember(own, [5, 6, 7, 8, 8], '0xbb');
    expect(own.isSoonForgotten('0xaa')).to.equal(false);
    remember(own, [9], '0xbb');
    expect(own.isSoonForgotten('0xaa')).to.equal(true);
    expect(own.isSoonForgotten('0xbb')).to.equal(false);
    own.take('0xaa');
    expect(own.isSoonForgotten('0xaa')).to.equal(false);
  });

  it('is not soon forgotten because of older ones that are never proven here', () => {
    const own = createOwnTransactions(10);
    for (let i = 0; i < 30; i += 1) own.remember(mined('0x01', `0xb${i}`));
    remember(own, [0, 1, 2], '0xaa');
    expect(own.isSoonForgotten('0xaa')).to.equal(false);
  });
});

function hashesOf(block: ReturnType<ReturnType<typeof createOwnTransactions>['take']>): readonly Hex[] {
  return [...block!.raw.keys()];
}
