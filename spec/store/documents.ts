import { randomUUID } from 'node:crypto';
import {
  type Commit,
  type NextDocument,
  type Place,
  type Store,
  type Stored,
  Undecided,
} from '../../src/store/port.js';

const BLANK: NextDocument = { version: 1, state: 'idle', wakeAt: undefined, frequent: '{}', rare: undefined };

/** Returns a commit that creates a document, with any revision. */
export function creation(id: string, fields: Partial<NextDocument> = {}, revision = 1): Commit {
  const next = { ...BLANK, rare: '{}', ...fields };
  return { id, expected: 0, revision, commitId: randomUUID(), next, previous: undefined };
}

/** Returns a commit that changes some fields of a document; it has no rarely written text unless that is given. */
export function change(id: string, stored: Stored, fields: Partial<NextDocument> = {}): Commit {
  const { version, state, wakeAt, queue, place, frequent } = stored;
  return {
    id,
    expected: stored.revision,
    revision: stored.revision + 1,
    commitId: randomUUID(),
    next: { version, state, wakeAt, queue, frequent, rare: undefined, ...fields },
    previous: { state, wakeAt, queue, place },
  };
}

/** Returns a commit that deletes a document. */
export function removal(id: string, stored: Stored): Commit {
  return { ...change(id, stored), next: undefined };
}

/** Commits items; resolves with their results, `lost` also where the store gives the stored document. */
export async function commitAll(store: Store, batch: readonly Commit[]): Promise<('won' | 'lost' | Error)[]> {
  const results = (await store.commit(batch)).map(async (result) => {
    const known = result instanceof Undecided ? await result.decided : result;
    return typeof known === 'string' || known instanceof Error ? known : 'lost';
  });
  return Promise.all(results);
}

/** Commits one item; rejects with its error. */
export async function commitOne(store: Store, commit: Commit): Promise<'won' | 'lost'> {
  const [outcome] = await commitAll(store, [commit]);
  if (outcome instanceof Error) throw outcome;
  return outcome!;
}

/** Creates a document; resolves with it as it is stored. */
export async function create(store: Store, id: string, fields: Partial<NextDocument> = {}): Promise<Stored> {
  if ((await commitOne(store, creation(id, fields))) !== 'won') throw new Error(`${id} is there already`);
  return loadExisting(store, id);
}

/** Returns the place of a document without the methods by which a store may read it. */
export function placeIn({ place }: Stored): Place | undefined {
  return place && { order: place.order, tags: place.tags };
}

/** Loads a document; rejects if it does not exist. */
export async function loadExisting(store: Store, id: string): Promise<Stored> {
  const stored = await store.load(id);
  if (stored === undefined) throw new Error(`${id} is not there`);
  return stored;
}
