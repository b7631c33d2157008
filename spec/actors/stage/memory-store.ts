import {
  addressOf,
  type Commit,
  type Listed,
  type ListQuery,
  type NextDocument,
  NO_RARE,
  type OrderedQuery,
  type Result,
  type Store,
  type Stored,
  StoreUnavailable,
} from '../../../src/store/port.js';
import { BLOCK, RANGE, revisionsFrom } from '../../../src/store/revisions.js';
import { Tallies } from '../../../src/store/tallies.js';
import { Queue } from './queue.js';

/** A store whose documents a spec can read, and whose answers it can delay, lose and change. */
export interface MemoryStore extends Store {
  readonly documents: Map<string, Stored & { readonly commitId: string }>;
  /** Every call of `commit`, in order. */
  readonly calls: (readonly Commit[])[];
  /** Ids in the order in which they were loaded. */
  readonly loads: string[];
  /** The answers of `due`, one for each sweep. */
  readonly sweeps: Queue<readonly string[]>;
  /** The functions between the runtime and the documents; a spec replaces them to inject faults. */
  readonly between: {
    commit(batch: readonly Commit[], apply: () => Result[]): Promise<Result[]>;
    load(id: string, get: () => Stored | undefined): Promise<Stored | undefined>;
  };
}

/** The revision of the first document in an empty store. */
export const FIRST = RANGE;

/** Creates an empty store. `shared`: several runtimes use it as nodes; `atOnce`: see `Store`. */
export function memoryStore(
  options: { readonly shared?: boolean; readonly atOnce?: number } = {},
): MemoryStore {
  const documents: MemoryStore['documents'] = new Map();
  let reserved = BLOCK;
  let keptTime: number | undefined;
  const revisions = revisionsFrom(1, (count) => {
    reserved += count;
    return Promise.resolve(reserved - count + 1);
  });
  const store: MemoryStore = {
    shared: options.shared ?? false,
    atOnce: options.atOnce ?? Infinity,
    nextRevision: (current) => revisions.next(current),
    documents,
    calls: [],
    loads: [],
    sweeps: new Queue(),
    between: {
      commit: (_batch, apply) => Promise.resolve(apply()),
      load: (_id, get) => Promise.resolve(get()),
    },
    load(id) {
      store.loads.push(id);
      return store.between.load(id, () => documents.get(id));
    },
    commit(batch) {
      store.calls.push(batch);
      return store.between.commit(batch, () => batch.map((commit) => apply(documents, commit)));
    },
    list(query) {
      const all = listed(documents, query);
      const items = query.frequentOnly === true ? all.map((item) => ({ ...item, rare: NO_RARE })) : all;
      return Promise.resolve({ items, more: items.length === query.limit });
    },
    outline(query) {
      const items = listed(documents, query).map(({ id, revision, version, state, wakeAt }) => ({
        id,
        revision,
        version,
        state,
        wakeAt,
      }));
      return Promise.resolve({ items, more: items.length === query.limit });
    },
    hold: () => undefined,
    ordered(query) {
      const items = orderedIn(documents, query);
      return Promise.resolve({ items, more: items.length === query.limit });
    },
    readAll: () => Promise.reject(new Error('not read in these specs')),
    tally(query) {
      const tallies = new Tallies();
      for (const [id, { place }] of documents) tallies.add(id, place?.tags ?? '', 1);
      return Promise.resolve(tallies.of(query));
    },
    kinds: () => Promise.resolve([...new Set([...documents.keys()].map((id) => addressOf(id).kind))]),
    count: (query) => Promise.resolve(listed(documents, query).length),
    due(now, limit) {
      const ids = [...documents]
        .filter(([, { wakeAt, queue }]) => wakeAt !== undefined && wakeAt <= now && queue === undefined)
        .toSorted(([, a], [, b]) => a.wakeAt! - b.wakeAt!)
        .slice(0, limit)
        .map(([id]) => id);
      store.sweeps.push(ids);
      return Promise.resolve(ids);
    },
    queues(after = '', limit) {
      const heads = new Map<string, number>();
      for (const { queue, wakeAt } of waiting(documents)) {
        if (queue > after) heads.set(queue, Math.min(wakeAt, heads.get(queue) ?? Infinity));
      }
      const all = [...heads].map(([queue, wakeAt]) => ({ queue, wakeAt }));
      return Promise.resolve(all.toSorted((a, b) => (a.queue < b.queue ? -1 : 1)).slice(0, limit));
    },
    queued(queue, from, limit) {
      const found = waiting(documents).filter((one) => one.queue === queue && one.wakeAt >= from);
      const sorted = found.toSorted((a, b) => a.wakeAt - b.wakeAt || (a.id < b.id ? -1 : 1));
      return Promise.resolve(sorted.slice(0, limit).map(({ id, wakeAt }) => ({ id, wakeAt })));
    },
    keepTime: async (at) => void (keptTime = at),
    keptTime: () => Promise.resolve(keptTime),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return store;
}

function waiting(documents: MemoryStore['documents']) {
  return [...documents].flatMap(([id, { queue, wakeAt }]) =>
    queue === undefined || wakeAt === undefined ? [] : [{ id, queue, wakeAt }],
  );
}

function listed(documents: MemoryStore['documents'], query: ListQuery): Listed[] {
  const { kind, tenant, state, after, descending = false, limit } = query;
  const comesBehind = (id: string, other: string): boolean => (descending ? id < other : id > other);
  return [...documents]
    .filter(([id, stored]) => {
      const address = addressOf(id);
      const mine = address.kind === kind && (tenant ?? address.tenant) === address.tenant;
      return (
        mine && (after === undefined || comesBehind(id, after)) && (state ?? stored.state) === stored.state
      );
    })
    .toSorted(([a], [b]) => (comesBehind(b, a) ? -1 : 1))
    .slice(0, limit)
    .map(([id, stored]): Listed => ({ id, ...stored }));
}

function orderedIn(documents: MemoryStore['documents'], query: OrderedQuery) {
  const { from, to, after, limit } = query;
  const keyOf = (order: string, id: string): string => `${order}\0${id}`;
  return listed(documents, { ...query, after: undefined, limit: Infinity })
    .flatMap((item) => (item.place?.order === undefined ? [] : [{ ...item, order: item.place.order }]))
    .filter(({ order }) => order >= from && order < to)
    .filter(({ order, id }) => after === undefined || keyOf(order, id) > keyOf(after.order, after.id))
    .toSorted((a, b) => (keyOf(a.order, a.id) < keyOf(b.order, b.id) ? -1 : 1))
    .slice(0, limit);
}

/** Applies a commit as an adapter does: compare-and-set, and an index that needs the previous promoted fields. */
function apply(documents: MemoryStore['documents'], commit: Commit): 'won' | 'lost' {
  const stored = documents.get(commit.id);
  if (stored?.commitId === commit.commitId) return 'won';
  if ((stored?.revision ?? 0) !== commit.expected) return 'lost';
  const { previous, next } = commit;
  if (
    previous?.state !== stored?.state ||
    previous?.wakeAt !== stored?.wakeAt ||
    previous?.queue !== stored?.queue ||
    previous?.place !== stored?.place
  ) {
    throw new Error(`${commit.id}: the promoted fields before are not those that are stored`);
  }
  if (next === undefined) documents.delete(commit.id);
  else documents.set(commit.id, replacing(stored, commit, next));
  return 'won';
}

function replacing(stored: Stored | undefined, { commitId, revision }: Commit, next: NextDocument) {
  const [frequent, rare] = [next.frequent ?? stored?.frequent, next.rare ?? stored?.rare];
  if (frequent === undefined || rare === undefined) throw new Error('a first commit lacks a text');
  return { ...next, place: next.place ?? stored?.place, frequent, rare, revision, commitId };
}

/** A call of `commit` that waits for the spec. */
export interface HeldCommit {
  readonly batch: readonly Commit[];
  /** Applies it and answers. */
  readonly pass: () => void;
  /** Rejects as if the database did not answer; `applied`: it applied the commits. */
  readonly vanish: (applied: boolean) => void;
}

/** Holds back every commit from now on. */
export function holdCommits(store: MemoryStore): Queue<HeldCommit> {
  const held = new Queue<HeldCommit>();
  store.between.commit = (batch, apply) =>
    new Promise((resolve, reject) => {
      held.push({
        batch,
        pass: () => resolve(apply()),
        vanish(applied) {
          if (applied) apply();
          reject(new StoreUnavailable('the database went away on purpose'));
        },
      });
    });
  return held;
}
