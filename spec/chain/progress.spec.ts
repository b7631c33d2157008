import { expect } from 'chai';
import { blockFollower } from '../../src/chain/block-follower.js';
import type { BlockSource } from '../../src/chain/block-source.js';
import type { ChainProgress } from '../../src/chain/port.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';

/** A node of a chain, as a spec sets it. */
interface NodeState {
  head: number;
  fork: string;
  lacking: readonly number[];
}

function sourceOf(node: NodeState): BlockSource {
  return {
    prefetch: () => undefined,
    async block(asked) {
      const number = asked === 'latest' ? node.head : asked;
      if (number > node.head || (asked !== 'latest' && node.lacking.includes(number))) return undefined;
      const hash = (of: number): `0x${string}` => `0x${of}${of > 4 ? node.fork : ''}`;
      return {
        number,
        hash: hash(number),
        parentHash: hash(number - 1),
        timestamp: number,
        transactions: [],
      };
    },
    receipt: async () => undefined,
    receiptsIn: async () => [],
  };
}

describe('the progress along a chain', () => {
  let node: NodeState;
  let clock: number;
  /** Added to the clock each time it is read. */
  let step: number;
  let follower: ReturnType<typeof blockFollower>;

  beforeEach(async () => {
    node = { head: 5, fork: '', lacking: [] };
    clock = 1_000;
    step = 0;
    const now = (): number => (clock += step);
    follower = blockFollower({
      source: sourceOf(node),
      finality: 2,
      announces: () => false,
      onDoubt: () => undefined,
      now,
    });
    expect(follower.progress()).to.equal(undefined);
    await follower.start();
  });
  afterEach(() => follower.close());

  const shows = (expected: Partial<ChainProgress>): Promise<true> => {
    follower.nudge();
    const isShown = (): true | undefined => {
      const progress = follower.progress();
      return (
        Object.entries(expected).every(([key, value]) => progress?.[key as 'head'] === value) || undefined
      );
    };
    return eventually(isShown, SOON_MS, () => JSON.stringify(follower.progress()));
  };

  it('has the newest block with the time of its arrival, and the time of the last answer', async () => {
    const first = { head: 5, headAt: 1_000, behind: 0, answeredAt: 1_000, reorganisations: 0 };
    expect(follower.progress()).to.deep.equal(first);
    clock = 2_000;
    await shows({ head: 5, headAt: 1_000, answeredAt: 2_000 });
    clock = 3_000;
    node.head = 7;
    await shows({ head: 7, headAt: 3_000, answeredAt: 3_000, behind: 0 });
  });

  it('goes on if the clock is set back meanwhile', async () => {
    step = -3_600_000;
    node.head = 7;
    await shows({ head: 7, behind: 0 });
  });

  it('has the blocks that the node names and does not give', async () => {
    node.lacking = [7, 8];
    node.head = 9;
    await shows({ head: 6, behind: 3 });
    node.lacking = [];
    await shows({ head: 9, behind: 0, reorganisations: 0 });
  });

  it('counts the times at which known blocks left the chain', async () => {
    node.fork = 'a';
    await shows({ head: 5, reorganisations: 1 });
    node.fork = 'b';
    node.head = 6;
    await shows({ head: 6, reorganisations: 2 });
  });
});
