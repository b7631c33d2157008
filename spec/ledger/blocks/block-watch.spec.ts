import { expect } from 'chai';
import type { Actors } from '../../../src/actors/runtime.js';
import type { Address } from '../../../src/store/port.js';
import type { ChainReceipt } from '../../../src/chain/port.js';
import { blockAddress, blockOf } from '../../../src/ledger/addresses.js';
import type { BlockEvent } from '../../../src/ledger/blocks/block-machine.js';
import { createBlockWatch } from '../../../src/ledger/blocks/block-watch.js';
import { StoreUnavailable } from '../../../src/store/port.js';
import { rejectionOf } from '../../rejection.js';
import { CHAIN, NOON, receiptIn, word } from '../driven-ledger.js';

const receipt = (n: number, block: number, fork?: string): ChainReceipt => ({
  ...receiptIn(block, fork),
  transactionHash: word(n),
});

function scene(tell: () => Promise<void> = async () => undefined) {
  const told: (readonly [number, BlockEvent])[] = [];
  const actors = {
    async ask(address: Address, event: BlockEvent) {
      told.push([blockOf(address).number, event]);
      await tell();
    },
  } as unknown as Actors;
  return {
    told,
    blockWatch: createBlockWatch(
      () => actors,
      () => NOON,
    ),
  };
}

describe('watching', () => {
  it('tells a block of what comes for it in one turn at once, and of what comes later again', async () => {
    const { told, blockWatch } = scene();
    await Promise.all([
      blockWatch.watch(CHAIN, receipt(1, 7)),
      blockWatch.watch(CHAIN, receipt(2, 8)),
      blockWatch.watch(CHAIN, receipt(3, 7)),
    ]);
    await blockWatch.watch(CHAIN, receipt(4, 7));
    expect(told).to.deep.equal([
      [7, { type: 'watch', now: NOON, transactions: [word(1), word(3)] }],
      [8, { type: 'watch', now: NOON, transactions: [word(2)] }],
      [7, { type: 'watch', now: NOON, transactions: [word(4)] }],
    ]);
  });

  it('fails for all that came together where it is not durable', async () => {
    const { blockWatch } = scene(() => Promise.reject(new StoreUnavailable('away')));
    const both = [blockWatch.watch(CHAIN, receipt(1, 7)), blockWatch.watch(CHAIN, receipt(2, 7))];
    for (const one of both) expect(await rejectionOf(one)).to.be.instanceOf(StoreUnavailable);
  });

  it('counts how often blocks have gone', () => {
    const { blockWatch } = scene();
    blockWatch.reorganised();
    expect(blockWatch.reorganisations()).to.equal(1);
  });
});

describe('the address of a block', () => {
  it('tells blocks of one number apart, and says which it is', () => {
    const [one, other] = ['a', 'b'].map((fork) => receiptIn(7, fork).blockHash);
    expect(blockAddress(CHAIN, 7, one!).name).not.to.equal(blockAddress(CHAIN, 7, other!).name);
    expect(blockOf(blockAddress(CHAIN, 7, one!))).to.deep.equal({ number: 7, hash: one });
  });

  it('has the order of their numbers', () => {
    const names = [9, 10, 2 ** 53 - 1].map((number) => blockAddress(CHAIN, number, word(1)).name);
    expect(names.toSorted()).to.deep.equal(names);
  });
});
