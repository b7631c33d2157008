import { expect } from 'chai';
import fc from 'fast-check';
import { memoryStore } from './stage/memory-store.js';
import { nodes } from './stage/nodes.js';
import type { Refusal } from '../../src/errors.js';

interface Step {
  readonly key: string;
  readonly amount: number;
  readonly most: number | undefined;
  /** True if the store answers before the next step. */
  readonly pause: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  amount: fc.integer({ min: 1, max: 9 }),
  most: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  pause: fc.boolean(),
});

describe('an actor', () => {
  const start = nodes();

  it('handles the events of its key one at a time, in order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const node = start({ store: memoryStore() });
        const answers: Promise<unknown>[] = [];
        for (const { key, amount, most, pause } of steps) {
          const event = { type: 'add', amount, ...(most === undefined ? {} : { most }) } as const;
          answers.push(node.ask(key, event).catch((error: unknown) => (error as Refusal).code));
          if (pause) await new Promise((resolve) => setImmediate(resolve));
        }
        expect(await Promise.all(answers)).to.deep.equal(oneByOne(steps));
      }),
      { numRuns: 60 },
    );
  });

  it('has no second writer when its key is loaded by several events at once', async () => {
    const store = memoryStore();
    const node = start({ store });
    await Promise.all([1, 2, 3].map((amount) => node.ask('a', { type: 'add', amount })));
    expect((await node.look('a'))!.added).to.deep.equal([1, 2, 3]);
    expect(store.loads).to.deep.equal(['tally/acme/a']);
  });

  it('is distinct from one whose tenant and name together look the same', async () => {
    const { actors } = start({ store: memoryStore() });
    const add = { type: 'add', now: 0, amount: 1 };
    expect(await actors.ask({ kind: 'tally', tenant: 'a', name: 'b/c' }, add)).to.equal(1);
    expect(await actors.ask({ kind: 'tally', tenant: 'b', name: 'b/c' }, add)).to.equal(1);
    expect(await actors.ask({ kind: 'tally', tenant: 'a', name: 'b' }, add)).to.equal(1);
  });
});

/** Returns the replies of the steps if each waits for the one before. */
function oneByOne(steps: readonly Step[]): unknown[] {
  const counts = new Map<string, number>();
  return steps.map(({ key, amount, most = Infinity }) => {
    const count = (counts.get(key) ?? 0) + amount;
    if (count > most) return 'conflict';
    counts.set(key, count);
    return count;
  });
}
