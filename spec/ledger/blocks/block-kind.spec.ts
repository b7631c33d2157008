import { expect } from 'chai';
import type { Actors, Effect } from '../../../src/actors/kind.js';
import { ChainUnavailable, type Hex } from '../../../src/chain/port.js';
import { blockAddress } from '../../../src/ledger/addresses.js';
import { blockKind } from '../../../src/ledger/blocks/block-kind.js';
import type { CheckEffect } from '../../../src/ledger/blocks/block-machine.js';
import { type Address, StoreUnavailable } from '../../../src/store/port.js';
import { rejectionOf } from '../../rejection.js';
import { effectRun } from '../../actors/stage/effect-run.js';
import { CHAIN, FINAL_MS, NOON, word } from '../driven-ledger.js';

const OURS = word(0xa);
const ANOTHER = word(0xb);

interface Node {
  readonly why?: CheckEffect['why'];
  /** The number of a transaction that cannot be told. */
  readonly deaf?: number;
  readonly name?: string;
  readonly head?: number;
  /** The block that this node of the service has seen at the number, and the block that the chain's node answers. */
  readonly known?: Hex;
  readonly there?: Hex;
}

let told: string[];

/** Checks block 7 of three, of two transactions. */
async function check({ why = 'age', deaf, name = CHAIN, head, known, there }: Node) {
  told = [];
  let asked = 0;
  const actors = {
    async ask({ tenant, name: hash }: Address, { type }: { type: string }) {
      told.push(`${type} ${tenant} ${Number(hash)}`);
      if (Number(hash) === deaf) throw new StoreUnavailable('away');
    },
  };
  const kind = blockKind({
    chain: {
      get name() {
        if (name === '') throw new ChainUnavailable('nobody knows');
        return name;
      },
      head: () => head,
      hashOf: () => known,
      async block(number) {
        asked += 1;
        return there && { number, hash: there, parentHash: word(0), timestamp: 0 };
      },
    },
    settings: { finalMs: FINAL_MS, finality: 3 },
    now: () => NOON,
  });
  const context = { transactions: [word(1), word(2)] };
  const effect = kind.effects['check'] as Effect;
  const answer = await effect(
    { id: 'check:1', type: 'check', why } satisfies CheckEffect as never,
    context as never,
    effectRun(blockAddress(CHAIN, 7, OURS), { actors: actors as unknown as Actors }),
  );
  const { type, deep } = answer as { type: string; deep?: boolean };
  return { type, deep, told, asked };
}

describe('a check of a block', () => {
  it('finds it final under enough blocks, without a call if this node has seen it', async () => {
    const seen = { type: 'seen', told: [], asked: 0 };
    expect(await check({ head: 8, known: OURS })).to.deep.equal({ ...seen, deep: false });
    expect(await check({ head: 9, known: OURS })).to.deep.equal({ ...seen, deep: true });
  });

  it('calls the chain if this node has seen another block, or none', async () => {
    const seen = { type: 'seen', told: [], asked: 1 };
    expect(await check({ head: 9, known: ANOTHER, there: OURS })).to.deep.equal({ ...seen, deep: true });
    expect(await check({ why: 'reorganisation', there: OURS })).to.deep.equal({ ...seen, deep: false });
  });

  it('rechecks its transactions if the chain has another block at its height, or none', async () => {
    const lost = {
      type: 'lost',
      deep: undefined,
      told: [`recheck ${CHAIN} 1`, `recheck ${CHAIN} 2`],
      asked: 1,
    };
    expect(await check({ head: 9, known: ANOTHER, there: ANOTHER })).to.deep.equal(lost);
    expect(await check({ why: 'reorganisation', head: 5 })).to.deep.equal(lost);
  });

  it('assumes that a node without it lags, unless blocks have left the chain', async () => {
    const left = { type: 'seen', deep: false, told: [], asked: 0 };
    expect(await check({ head: 6 })).to.deep.equal(left);
    expect(await check({})).to.deep.equal(left);
  });

  it('rechecks the other transactions if one fails, and is repeated then', async () => {
    const failed = check({ head: 9, deaf: 1 });
    expect(await rejectionOf(failed)).to.be.instanceOf(StoreUnavailable);
    expect(told).to.deep.equal([`recheck ${CHAIN} 1`, `recheck ${CHAIN} 2`]);
  });

  it('changes nothing while the node is on another chain or on an unknown one', async () => {
    const left = { type: 'seen', deep: false, told: [], asked: 0 };
    expect(await check({ name: '5', head: 9, there: ANOTHER })).to.deep.equal(left);
    expect(await check({ name: '', head: 9, there: ANOTHER })).to.deep.equal(left);
  });
});
