import type { ActorContext, Actors } from '../actors/kind.js';
import { type IsReadable, UNREADABLE } from '../actors/reading.js';
import { TEXT_KINDS } from '../store/durable-texts.js';
import { actorId, type Address, addressOf, type Outline, type Store } from '../store/port.js';
import type { Range } from './query.js';
import type { ActorDetail, ActorSummary } from './shapes.js';

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Value of `after` for the next page. null on the last page. */
  readonly next: string | null;
}

/** The actors that a list has. `after` is the `next` of the page before. */
export interface ActorFilter extends Range {
  readonly kind: string | undefined;
  readonly state: string | undefined;
}

/**
 * Returns the kinds of actors in a store: those of this service, and those of documents that a newer release, or a part of
 * the service that is off, has left there.
 */
export async function storedKinds(store: Store, own: readonly string[]): Promise<readonly string[]> {
  const texts = new Set<string>(TEXT_KINDS);
  const stored = (await store.kinds()).filter((kind) => !texts.has(kind));
  return [...new Set([...own, ...stored])].toSorted();
}

/** Returns a page of the actors of the given kinds, ordered by kind, tenant and name. */
export async function listActors(
  store: Store,
  kinds: readonly string[],
  { kind, tenant, state, after, limit }: ActorFilter,
  isReadable: IsReadable,
): Promise<Page<ActorSummary>> {
  const found: Outline[] = [];
  for (const one of kinds.filter((candidate) => kind === undefined || candidate === kind).toSorted()) {
    if (after !== undefined && addressOf(after).kind > one) continue;
    const left = limit + 1 - found.length;
    if (left <= 0) break;
    const inKind = after?.startsWith(`${one}/`) === true ? after : undefined;
    found.push(...(await store.outline({ kind: one, tenant, state, after: inKind, limit: left })).items);
  }
  const items = found.slice(0, limit);
  return {
    items: items.map((outline) => {
      const address = addressOf(outline.id);
      const summary = summaryOf(address, outline);
      return isReadable(address.kind, outline.version) ? summary : { ...summary, unreadable: UNREADABLE };
    }),
    next: found.length > limit ? items.at(-1)!.id : null,
  };
}

/** Returns an actor; of one that this service cannot read what lists say of it. undefined if it was never committed. */
export async function showActor(
  actors: Actors,
  store: Store,
  address: Address,
  isReadable: IsReadable,
): Promise<ActorDetail | undefined> {
  const stored = await store.load(actorId(address));
  if (stored !== undefined && !isReadable(address.kind, stored.version))
    return { ...summaryOf(address, stored), unreadable: UNREADABLE, outbox: [], context: {} };
  const view = await actors.read<ActorContext & Record<string, unknown>>(address);
  if (view === undefined) return undefined;
  const { outbox, reply: _reply, wakeAt: _wakeAt, address: _address, ...context } = view.context;
  return { ...summaryOf(address, view), outbox, context };
}

/** Returns the members that every listing of actors has. */
function summaryOf(
  { kind, tenant, name }: Address,
  { state, revision, wakeAt }: Pick<Outline, 'state' | 'revision' | 'wakeAt'>,
): ActorSummary {
  return {
    kind,
    tenant,
    name,
    state,
    revision,
    wakeAt: wakeAt === undefined ? null : new Date(wakeAt).toISOString(),
  };
}

/** Returns the address of a kind and a key `tenant/name`. undefined if the key has no tenant. */
export function addressFrom(kind: string, key: string): Address | undefined {
  const slash = key.indexOf('/');
  if (slash < 1) return undefined;
  return addressOf(actorId({ kind, tenant: key.slice(0, slash), name: key.slice(slash + 1) }));
}
