import { addressOf, type ListPage, type Store } from '../store/port.js';
import { isCurrent, Unreadable } from './behavior.js';
import type { ActorKind } from './kind.js';

/** True for documents of a kind and a version that this service can read. */
export type IsReadable = (kind: string, version: number) => boolean;

/** What listings say of a document that this service cannot read. */
export const UNREADABLE = 'not readable by this version';

/** Returns the test for the documents of these kinds: a newer release, or another part of the service, wrote the others. */
export function readableKinds(
  kinds: readonly Pick<ActorKind, 'name' | 'version' | 'leastVersion' | 'migrate'>[],
): IsReadable {
  const known = new Map(kinds.map((kind) => [kind.name, kind]));
  return (name, version) => {
    const kind = known.get(name);
    if (kind === undefined || version > kind.version) return false;
    return isCurrent(kind, version) || kind.migrate !== undefined;
  };
}

/** Resolves with what is read of an actor; undefined if this service cannot read it. */
export async function ifReadable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/**
 * Returns a store for readers of documents: `list` and `load` leave out those that this service cannot read, of which a
 * reader would make nonsense, or an error in the middle of its listing.
 */
export function readableOnly(store: Store, isReadable: IsReadable): Store {
  const fits = (id: string, version: number): boolean => isReadable(addressOf(id).kind, version);

  const list: Store['list'] = async (query) => {
    const { items, more } = await store.list(query);
    const readable = items.filter(({ id, version }) => fits(id, version));
    if (readable.length === items.length || !more) return { items: readable, more };
    // A page without items would look like the last one, and one with fewer than its limit, too.
    const left = query.limit - readable.length;
    const next = await list({ ...query, after: items.at(-1)!.id, limit: left });
    return { items: [...readable, ...next.items], more: next.more } satisfies ListPage<unknown>;
  };

  return {
    ...store,
    list,
    async load(id) {
      const stored = await store.load(id);
      return stored !== undefined && fits(id, stored.version) ? stored : undefined;
    },
  };
}
