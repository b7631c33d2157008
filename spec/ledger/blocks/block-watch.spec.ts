import { expect } from 'chai';
import type { Actors } from '../../../src/actors/kind.js';
import type { Hex } from '../../../src/chain/port.js';
import { type Address, StoreUnavailable } from '../../../src/store/port.js';
import { blockAddress, blockOf } from '../../../src/ledger/addresses.js';
import type { BlockEvent } from '../../../src/ledger/blocks/block-machine.js';
import { createBlockWatch } from '../../../src/ledger/blocks/block-kind.js';
import { rejectionOf } from '../../rejection.js';
import { CHAIN, NOON, receiptIn, word } from '../driven-ledger.js';

function scene(tell: () => Promise<void> = async () => undefined) {
  const told: (readonly [number, BlockEvent])[] = [];
  const actors = {
    async ask(address: Address, event: BlockEvent) {
      told.push([blockOf(address).number, event]);
      await tell();
    },
  } as unknown as Actors;
  const blockWatch = createBlockWatch(() => NOON);
  return {
    told,
    watch: (block: number, hash: Hex) => blockWatch.watch(actors, CHAIN, receiptIn(block), hash),
  };
}

describe('the block watch', () => {
  it('sends a block one event for the transactions of a turn of the event loop, and another one for later ones', async () => {
    const { told, watch } = scene();
    await Promise.all([watch(7, word(1)), watch(8, word(2)), watch(7, word(3))]);
    await watch(7, word(4));
    expect(told).to.deep.equal([
      [7, { type: 'watch', now: NOON, transactions: [word(1), word(3)] }],
      [8, { type: 'watch', now: NOON, transactions: [word(2)] }],
      [7, { type: 'watch', now: NOON, transactions: [word(4)] }],
    ]);
  });

  it('rejects for all transactions of an event that cannot be stored', async () => {
    const { watch } = scene(() => Promise.reject(new StoreUnavailable('away')));
    const both = [watch(7, word(1)), watch(7, word(2))];
    for (const one of both) expect(await rejectionOf(one)).to.be.instanceOf(StoreUnavailable);
  });
});

describe('the address of a block', () => {
  it('differs for blocks with the same number, and contains number and hash', () => {
    const [one, other] = ['a', 'b'].map((fork) => receiptIn(7, fork).blockHash);
    expect(blockAddress(CHAIN, 7, one!).name).not.to.equal(blockAddress(CHAIN, 7, other!).name);
    expect(blockOf(blockAddress(CHAIN, 7, one!))).to.deep.equal({ number: 7, hash: one });
  });

  it('sorts in the order of the numbers', () => {
    const names = [9, 10, 2 ** 53 - 1].map((number) => blockAddress(CHAIN, number, word(1)).name);
    expect(names.toSorted()).to.deep.equal(names);
  });
});
