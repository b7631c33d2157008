import { setImmediate } from 'node:timers/promises';
import type { ActorContext, Actors, OutboxEntry } from '../actors/kind.js';
import { type IsReadable, UNREADABLE } from '../actors/reading.js';
import { TEXT_KINDS } from '../store/durable-texts.js';
import { actorId, type Address, addressOf, type Outline, type Store } from '../store/port.js';
import { NODE } from './nodes/node-list.js';
import type { Range } from './query.js';
import type { ActorDetail, ActorFaultView, ActorSummary } from './shapes.js';
import { isoOf } from '../system/iso.js';

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
  /** Part of the name, in any case. */
  readonly query: string | undefined;
}

/** Outlines that are searched in one turn of the event loop. */
const SEARCHED = 1_000;
/** Time after which a search by name ends its page, ms. */
const SEARCH_MS = 60;

/**
 * Returns the kinds of actors in a store: those of this service, and those of documents that a newer release, or a part of
 * the service that is off, has left there.
 */
export async function storedKinds(store: Store, own: readonly string[]): Promise<readonly string[]> {
  const others = new Set<string>([...TEXT_KINDS, NODE]);
  const stored = (await store.kinds()).filter((kind) => !others.has(kind));
  return [...new Set([...own, ...stored])].toSorted();
}

/**
 * Returns a page of the actors of the given kinds, ordered by kind, tenant and name. A search by name that takes too long
 * ends its page early, maybe without actors: the next one goes on from there.
 */
export async function listActors(
  store: Store,
  kinds: readonly string[],
  { kind, tenant, state, query = '', after, limit }: ActorFilter,
  isReadable: IsReadable,
): Promise<Page<ActorSummary>> {
  const shown = (items: readonly Outline[], next: string | null): Page<ActorSummary> => ({
    items: items.map((outline) => {
      const address = addressOf(outline.id);
      const summary = summaryOf(address, outline);
      return isReadable(address.kind, outline.version) ? summary : { ...summary, unreadable: UNREADABLE };
    }),
    next,
  });
  const wanted = query.toLowerCase();
  const end = performance.now() + SEARCH_MS;
  const found: Outline[] = [];
  for (const one of kinds.filter((candidate) => kind === undefined || candidate === kind).toSorted()) {
    if (after !== undefined && addressOf(after).kind > one) continue;
    let from = after?.startsWith(`${one}/`) === true ? after : undefined;
    for (;;) {
      const size = wanted === '' ? limit + 1 - found.length : SEARCHED;
      const { items, more } = await store.outline({ kind: one, tenant, state, after: from, limit: size });
      found.push(...items.filter(({ id }) => addressOf(id).name.toLowerCase().includes(wanted)));
      if (found.length > limit) return shown(found.slice(0, limit), found[limit - 1]!.id);
      if (!more || wanted === '') break;
      from = items.at(-1)!.id;
      if (performance.now() >= end) return shown(found, from);
      await setImmediate();
    }
  }
  return shown(found, null);
}

/** Returns an actor; of one that this service cannot read what lists say of it. undefined if it was never committed. */
export async function showActor(
  actors: Actors,
  store: Store,
  address: Address,
  isReadable: IsReadable,
  faultOf: LastFault,
): Promise<ActorDetail | undefined> {
  const stored = await store.load(actorId(address));
  if (stored !== undefined && !isReadable(address.kind, stored.version))
    return { ...summaryOf(address, stored), unreadable: UNREADABLE, ...NOTHING_READ };
  const view = await actors.read<ActorContext & Record<string, unknown>>(address);
  if (view === undefined) return undefined;
  const { outbox, reply: _reply, wakeAt: _wakeAt, address: _address, ...context } = view.context;
  const fault = faultOf(actorId(address)) ?? null;
  const waiting = outbox.map((entry, i) => ({
    id: entry.id,
    type: entry.type,
    why: whyItWaits(entry, outbox.slice(0, i), { fault, wakeAt: view.wakeAt }),
  }));
  return { ...summaryOf(address, view), outbox, waiting, fault, context };
}

const NOTHING_READ = { outbox: [], waiting: [], fault: null, context: {} };

/** Returns the last fault of an actor on this node; undefined: none. */
export type LastFault = (id: string) => ActorFaultView | undefined;

/** Returns why an effect is not performed yet, as a sentence. */
function whyItWaits(
  { id, type }: OutboxEntry,
  earlier: readonly OutboxEntry[],
  { fault, wakeAt }: { readonly fault: ActorFaultView | null; readonly wakeAt: number | undefined },
): string {
  if (earlier.some((one) => one.id === id)) return 'It waits for the effect of the same id before it.';
  const next = wakeAt === undefined ? '' : ` The actor wakes up at ${isoOf(wakeAt)}, and tries again.`;
  if (fault?.type === type) return `Its last try failed at ${fault.at}: ${fault.message}.${next}`;
  return `It is being performed. No try of it failed on this node.${next}`;
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
    wakeAt: wakeAt === undefined ? null : isoOf(wakeAt),
  };
}

/** Returns the address of a kind and a key `tenant/name`. undefined if the key has no tenant. */
export function addressFrom(kind: string, key: string): Address | undefined {
  const slash = key.indexOf('/');
  if (slash < 1) return undefined;
  return addressOf(actorId({ kind, tenant: key.slice(0, slash), name: key.slice(slash + 1) }));
}
