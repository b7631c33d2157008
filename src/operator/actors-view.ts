import type { ActorContext } from '../actors/kind.js';
import type { Actors } from '../actors/runtime.js';
import { actorId, addressOf } from '../store/port.js';
import type { Address, Outline, Store } from '../store/port.js';

/** An actor in a listing. `name` is its name in its tenant; times are ISO 8601, UTC. */
export interface ActorSummary {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
  readonly state: string;
  readonly revision: number;
  readonly wakeAt: string | null;
}

/** An actor with everything it knows. */
export interface ActorDetail extends ActorSummary {
  readonly outbox: ActorContext['outbox'];
  /** The rest of its context. */
  readonly context: Readonly<Record<string, unknown>>;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** What to give as `after` for the next page; null where this is the last. */
  readonly next: string | null;
}

export interface ActorFilter {
  readonly kind: string | undefined;
  readonly tenant: string | undefined;
  readonly state: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** A page of the actors of the given kinds, in the order of kind, tenant and name. */
export async function listActors(
  store: Store,
  kinds: readonly string[],
  { kind, tenant, state, after, limit }: ActorFilter,
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
  return { items: items.map(summary), next: found.length > limit ? items.at(-1)!.id : null };
}

/** One actor; undefined where it was never committed. */
export async function showActor(actors: Actors, address: Address): Promise<ActorDetail | undefined> {
  const view = await actors.read<ActorContext & Record<string, unknown>>(address);
  if (view === undefined) return undefined;
  const { outbox, reply: _reply, wakeAt: _wakeAt, address: _address, ...context } = view.context;
  return { ...shown(address, view), outbox, context };
}

function summary(outline: Outline): ActorSummary {
  return shown(addressOf(outline.id), outline);
}

/** What is shown of every actor. */
function shown(
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

/** The address that a kind and a key of the form `tenant/name` stand for; undefined where the key has no tenant. */
export function addressFrom(kind: string, key: string): Address | undefined {
  const slash = key.indexOf('/');
  if (slash < 1) return undefined;
  return addressOf(actorId({ kind, tenant: key.slice(0, slash), name: key.slice(slash + 1) }));
}
