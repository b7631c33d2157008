import { expect } from 'chai';
import { type AwaitedReceipts, awaitedReceipts } from '../../src/chain/awaited-receipts.js';
import { type KnownBlocks, knownBlocks } from '../../src/chain/known-blocks.js';
import type { ChainReceipt } from '../../src/chain/port.js';
import { wordOf } from './scene.js';

const HASH = wordOf(99);
const FRESH = wordOf(98);

describe('awaited receipts', () => {
  let known: KnownBlocks;
  let awaited: AwaitedReceipts;
  let got: string[];

  beforeEach(() => {
    known = knownBlocks(3);
    awaited = awaitedReceipts(known);
    got = [];
    for (const number of [5, 6]) known.append({ number, hash: wordOf(number) });
    void awaited.wait(HASH, 2).receipt.then(({ blockHash }) => got.push(blockHash));
    expect(awaited.takeUnasked()).to.deep.equal([HASH]);
  });

  const settled = async (): Promise<string[]> => {
    awaited.settle();
    await Promise.resolve();
    return got;
  };

  it('count once their block is known and has its confirmations', async () => {
    awaited.offer(receiptIn(7, 7));
    expect(await settled()).to.deep.equal([]);
    known.append({ number: 7, hash: wordOf(7) });
    expect(await settled()).to.deep.equal([]);
    known.append({ number: 8, hash: wordOf(8) });
    expect(await settled()).to.deep.equal([wordOf(7)]);
    expect(awaited.count()).to.equal(0);
  });

  it('do not count if their block is not on the chain: the node is asked again', async () => {
    awaited.offer(receiptIn(5, 55));
    expect(await settled()).to.deep.equal([]);
    expect(awaited.takeUnasked()).to.deep.equal([HASH]);
    expect(awaited.takeUnasked()).to.deep.equal([]);
    awaited.offer(receiptIn(5, 5));
    expect(await settled()).to.deep.equal([wordOf(5)]);
  });

  it('count if their block is below all known blocks', async () => {
    awaited.offer(receiptIn(2, 22));
    expect(await settled()).to.deep.equal([wordOf(22)]);
  });

  it('are asked for again when their block leaves the chain', async () => {
    awaited.offer(receiptIn(6, 6));
    awaited.askAgainFrom(7);
    expect(awaited.lacks(HASH, wordOf(6))).to.equal(false);
    expect(awaited.takeUnasked()).to.deep.equal([]);
    awaited.askAgainFrom(6);
    expect(awaited.lacks(HASH, wordOf(6))).to.equal(true);
    expect(awaited.takeUnasked()).to.deep.equal([HASH]);
    known.dropFrom(6);
    expect(known.tip()).to.deep.equal({ number: 5, hash: wordOf(5) });
    expect(await settled()).to.deep.equal([]);
  });

  it('are asked for again when there was no answer', () => {
    awaited.unanswered(HASH);
    expect(awaited.takeUnasked()).to.deep.equal([HASH]);
  });

  it("of an unsent transaction are asked for once a wait without 'unsent' begins", () => {
    awaited.wait(FRESH, 1, 'unsent');
    awaited.wait(FRESH, 2, 'unsent');
    expect(awaited.takeUnasked()).to.deep.equal([]);
    awaited.wait(FRESH, 1);
    expect(awaited.takeUnasked()).to.deep.equal([FRESH]);
    awaited.wait(FRESH, 1, 'unsent');
    expect(awaited.takeUnasked()).to.deep.equal([]);
  });

  it('of an unsent transaction are asked for when blocks leave the chain', () => {
    awaited.wait(FRESH, 1, 'unsent');
    awaited.askAgainFrom(6);
    expect(awaited.takeUnasked()).to.deep.equal([HASH, FRESH]);
  });

  it('of an unsent transaction are taken from its block', async () => {
    const { receipt } = awaited.wait(FRESH, 1, 'unsent');
    expect(awaited.lacks(FRESH, wordOf(6))).to.equal(true);
    awaited.offer(receiptIn(6, 6, FRESH));
    expect(awaited.lacks(FRESH, wordOf(6))).to.equal(false);
    awaited.settle();
    expect(await receipt).to.include({ transactionHash: FRESH, blockHash: wordOf(6) });
    expect(awaited.count()).to.equal(1);
    expect(awaited.takeUnasked()).to.deep.equal([]);
  });
});

function receiptIn(number: number, hash: number, transactionHash = HASH): ChainReceipt {
  const place = { transactionHash, transactionIndex: '0x0', blockHash: wordOf(hash) } as const;
  const gas = { cumulativeGasUsed: '0x1', gasUsed: '0x1', status: '0x1', logs: [], logsBloom: '0x' } as const;
  return { ...place, ...gas, blockNumber: `0x${number}`, from: HASH, to: HASH };
}
