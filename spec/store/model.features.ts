import { expect } from 'chai';
import fc from 'fast-check';
import type { Commit, Listed, QueueHead, Store, Stored } from '../../src/store/port.js';
import { change, commitAll, creation, removal } from './documents.js';
import type { MakeHome } from './home.js';
import { ANY_CHARACTER } from '../any-character.js';

const IDS = ['k/a/1', 'k/a/2', 'k/a/2/3', 'k/ab/1', 'k/a-b/😀', 'kk/a/1'];
const STATES = ['idle', 'busy', 'unindexed'];
const QUEUES = ['q', 'q\u0001', 'q/ü', 'qq'];

/** A text that a store may keep in another place. */
const LONG = 'long'.repeat(10_000);

/** One item of a batch: an act on a document, decided on its present revision or on another one. */
interface Step {
  readonly id: string;
  readonly act: 'create' | 'change' | 'remove';
  readonly stale: boolean;
  readonly state: string;
  readonly wakeAt: number | undefined;
  readonly queue: string | undefined;
  readonly frequent: string | undefined;
  readonly rare: string | undefined;
}

const step = fc.record<Step>({
  id: fc.constantFrom(...IDS),
  act: fc.constantFrom('create', 'change', 'change', 'remove'),
  stale: fc.boolean(),
  state: fc.constantFrom(...STATES),
  wakeAt: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  queue: fc.option(fc.constantFrom(...QUEUES), { nil: undefined }),
  frequent: fc.option(
    fc.oneof(fc.string({ unit: ANY_CHARACTER, maxLength: 20 }), fc.constantFrom(LONG, `${LONG}ü`)),
    {
      nil: undefined,
    },
  ),
  rare: fc.option(fc.string({ maxLength: 5 }), { nil: undefined }),
});

/** Batches without two items of one document. */
const batches = fc.array(fc.uniqueArray(step, { selector: ({ id }) => id, maxLength: 6 }), { maxLength: 12 });

type Model = Map<string, Stored>;

function commitOf(model: Model, { act, id, stale, state, wakeAt, queue, frequent, rare }: Step): Commit {
  const seen = model.get(id) ?? {
    revision: 1,
    version: 1,
    state: 'idle',
    wakeAt: undefined,
    frequent: '',
    rare: '',
  };
  const stored = stale ? { ...seen, revision: seen.revision + 1 } : seen;
  const unindexed = state === 'unindexed';
  const fields = { state, wakeAt, queue, frequent, unindexed };
  if (act === 'create') return creation(id, { ...fields, frequent: frequent ?? '', rare: rare ?? '' });
  return act === 'remove' ? removal(id, stored) : change(id, stored, { ...fields, rare });
}

function apply(model: Model, { id, expected, next }: Commit): 'won' | 'lost' {
  const stored = model.get(id);
  if ((stored?.revision ?? 0) !== expected) return 'lost';
  if (next === undefined) {
    model.delete(id);
    return 'won';
  }
  const { unindexed: _unindexed, ...document } = next;
  model.set(id, {
    ...document,
    queue: document.queue,
    revision: expected + 1,
    frequent: next.frequent ?? stored!.frequent,
    rare: next.rare ?? stored!.rare,
  });
  return 'won';
}

function sorted(model: Model): Listed[] {
  return [...model]
    .map(([id, stored]) => ({ ...stored, id }))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)));
}

async function compare(store: Store, model: Model): Promise<void> {
  const all = sorted(model);
  for (const kind of ['k', 'kk']) {
    const ofKind = all.filter(({ id }) => id.startsWith(`${kind}/`));
    expect((await store.list({ kind, limit: 100 })).items).to.deep.equal(ofKind);
    for (const state of STATES) {
      const inState = ofKind.filter((document) => document.state === state);
      expect((await store.list({ kind, state, limit: 100 })).items).to.deep.equal(inState);
      const outlined = inState.map(({ id, revision, version, wakeAt }) => ({
        id,
        revision,
        version,
        state,
        wakeAt,
      }));
      expect((await store.outline({ kind, state, limit: 100 })).items).to.deep.equal(outlined);
    }
  }
  for (const now of [0, 1, 2, 3]) {
    const due = all.filter(
      ({ wakeAt, queue }) => wakeAt !== undefined && wakeAt <= now && queue === undefined,
    );
    const found = await store.due(now, 100);
    expect(found.toSorted()).to.deep.equal(due.map(({ id }) => id).toSorted());
    const times = found.map((id) => model.get(id)!.wakeAt!);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  }
  await compareQueues(store, all);
}

async function compareQueues(store: Store, all: readonly Listed[]): Promise<void> {
  const heads: QueueHead[] = [];
  for (const queue of QUEUES.toSorted()) {
    const waiting = all
      .flatMap(({ id, wakeAt, queue: name }) =>
        name === queue && wakeAt !== undefined ? [{ id, wakeAt }] : [],
      )
      .toSorted((a, b) => a.wakeAt - b.wakeAt);
    expect(await store.queued(queue, 0, 100)).to.deep.equal(waiting);
    expect(await store.queued(queue, 2, 2)).to.deep.equal(
      waiting.filter(({ wakeAt }) => wakeAt >= 2).slice(0, 2),
    );
    if (waiting.length > 0) heads.push({ queue, wakeAt: waiting[0]!.wakeAt });
  }
  expect(await store.queues(undefined, 100)).to.deep.equal(heads);
  for (const [at, { queue }] of heads.entries()) {
    expect(await store.queues(queue, 2)).to.deep.equal(heads.slice(at + 1, at + 3));
  }
}

/** The behaviour of every store after random commits: that of a map in memory. */
export function modelFeatures(makeHome: MakeHome, { runs }: { readonly runs: number }): void {
  it('holds and finds what a map in memory would', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const home = await makeHome();
        try {
          const store = await home.open();
          const model: Model = new Map();
          for (const steps of all) {
            const commits = steps.map((item) => commitOf(model, item));
            const outcomes = await commitAll(store, commits);
            expect(outcomes).to.deep.equal(commits.map((commit) => apply(model, commit)));
          }
          await compare(store, model);
        } finally {
          await home.remove();
        }
      }),
      { numRuns: runs },
    );
  });
}
