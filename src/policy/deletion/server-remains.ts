import type { Actors, EffectRun } from '../../actors/kind.js';
import {
  type AboutMessage,
  DELIVERY,
  deliveryAddress,
  type DeliveryContext,
  type DeliveryEvent,
  type EndOfDeadLetter,
  isOfSubscription,
  PENDING_STATES,
} from '../../delivery/delivery.js';
import {
  ENDPOINT,
  type EndpointContext,
  type EndpointEvent,
} from '../../delivery/endpoint/endpoint-machine.js';
import { receiverAddress, type ReceiverEvent, receiverId } from '../../delivery/receiver/receiver-machine.js';
import { pages } from '../../store/paging.js';
import { actorId, type Address, addressOf, type Listed, type Store } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import { singleFlight, ttlCache } from '../../system/ttl-cache.js';
import { allParts, type HistoryEvent } from '../explain/history-machine.js';
import type { EraseEffect, ServerEvent } from '../server/server-context.js';
import { SERVER } from '../server/server-kind.js';
import { trendAddress, type TrendEvent } from '../trend/trend-machine.js';

/** Documents read at once, and events sent at once. */
const PAGE = 500;
const BATCH = 50;
/** How long others' lists of a tenant serve for servers that were idle for long, ms, and tenants of which they are kept. */
const LISTS = { ttlMs: 1_000, max: 20 };
/** Servers of a tenant that are searched for a url. Of a larger tenant, a receiver without subscription ends by its age. */
const SEARCHED = 10_000;
/**
 * How long after a deletion other actors may still get something of the server, ms: an effect that began before ends. With a shared
 * store it may be one of a node that the database answers late.
 */
const LATE_MS = { shared: 60_000, embedded: 5_000 };

/** What other actors have of the servers of a tenant. */
interface Lists {
  /** Ids of pending deliveries, by server. */
  readonly deliveries: ReadonlyMap<string, readonly string[]>;
  /** Names of endpoints, by server. */
  readonly endpoints: ReadonlyMap<string, readonly string[]>;
}

/** What other actors have of a deleted server. */
export type ServerRemains = ReturnType<typeof createServerRemains>;

/** Makes the deletion of what other actors have of a deleted server. */
export function createServerRemains(options: {
  readonly store: Pick<Store, 'list' | 'shared'>;
  readonly onDeadLetterEnded: (why: EndOfDeadLetter) => void;
  /** Drops what this node has not stored yet of a receiver. */
  readonly forgetReceiver: (id: string) => void;
  readonly now: () => number;
}) {
  const { store, onDeadLetterEnded, forgetReceiver, now } = options;
  const runs = singleFlight<void>();
  const cache = ttlCache<Lists>({ ...LISTS, now });

  const pagesOf = (kind: string, tenant: string, state?: string) =>
    pages((after) => store.list({ kind, tenant, state, after, limit: PAGE }));

  const readLists = async (tenant: string): Promise<Lists> => {
    const deliveries = new Map<string, string[]>();
    const endpoints = new Map<string, string[]>();
    // In the order in which a delivery passes them, so that one that moves on meanwhile is not missed.
    for (const state of PENDING_STATES.toReversed())
      for await (const page of pagesOf(DELIVERY, tenant, state))
        for (const one of page) addTo(deliveries, aboutIn(one)?.server, one);
    for await (const page of pagesOf(ENDPOINT, tenant))
      for (const one of page) addTo(endpoints, (JSON.parse(one.rare) as EndpointContext).server, one);
    return { deliveries, endpoints };
  };

  const discard = async (
    actors: Actors,
    tenant: string,
    ids: readonly string[],
    type: 'discard' | 'drop',
  ): Promise<number> => {
    const event: DeliveryEvent = { type, now: now() };
    const replies = await mapInBatches(ids, BATCH, (id) =>
      actors.ask<true | undefined>(deliveryAddress(tenant, id), event),
    );
    return replies.filter((reply) => reply === true).length;
  };

  const eraseEndpoint = async (actors: Actors, tenant: string, name: string): Promise<void> => {
    const endpoint: Address = { kind: ENDPOINT, tenant, name };
    const dead = (await actors.read<EndpointContext>(endpoint))?.context.dead ?? [];
    const discarded = await discard(actors, tenant, dead, 'drop');
    for (let i = 0; i < discarded; i += 1) onDeadLetterEnded('discarded');
    const event: EndpointEvent = { type: 'erase', now: now() };
    await actors.ask(endpoint, event);
  };

  /** Returns those of some urls that a subscription of the tenant has. */
  const usedOf = async (tenant: string, urls: readonly string[]): Promise<ReadonlySet<string>> => {
    const used = new Set<string>();
    let searched = 0;
    for await (const page of pagesOf(SERVER, tenant)) {
      searched += page.length;
      for (const url of urls) {
        const text = JSON.stringify(url);
        if (searched > SEARCHED || page.some(({ rare }) => rare.includes(text))) used.add(url);
      }
      if (used.size === urls.length) break;
    }
    return used;
  };

  const eraseReceivers = async (actors: Actors, tenant: string, urls: readonly string[]): Promise<void> => {
    if (urls.length === 0) return;
    const used = await usedOf(tenant, urls);
    const event: ReceiverEvent = { type: 'erase', now: now() };
    for (const url of urls.filter((one) => !used.has(one))) {
      const id = receiverId(tenant, url);
      forgetReceiver(id);
      await actors.ask(receiverAddress(tenant, id), event);
    }
  };

  const eraseNow = async (actors: Actors, server: Address, entry: EraseEffect): Promise<void> => {
    const { tenant, name } = server;
    const history: HistoryEvent = { type: 'erase', now: now(), upTo: entry.recorded };
    const trend: TrendEvent = { type: 'erase', now: now() };
    const parts = entry.recorded === 0 ? [] : allParts(tenant, name, entry.recorded);
    await Promise.all([
      ...parts.map((part) => actors.ask(part, history)),
      actors.ask(trendAddress(tenant, name), trend),
    ]);
    const { deliveries, endpoints } = entry.idle
      ? await cache.get(tenant, () => readLists(tenant))
      : await readLists(tenant);
    await discard(actors, tenant, deliveries.get(name) ?? [], 'discard');
    for (const endpoint of endpoints.get(name) ?? []) await eraseEndpoint(actors, tenant, endpoint);
    await eraseReceivers(actors, tenant, entry.urls);
  };

  /** Deletes what other actors have of a server now. */
  const erase = (actors: Actors, server: Address, entry: EraseEffect): Promise<void> =>
    runs(`${actorId(server)} ${entry.at}`, () => eraseNow(actors, server, entry));

  return {
    erase,
    /** The effect of the entry that a deleted server has. It runs again until nothing can come any more. */
    effect: async (
      entry: EraseEffect,
      _context: unknown,
      { address, actors }: EffectRun,
    ): Promise<ServerEvent | undefined> => {
      const age = now() - entry.at;
      if (entry.erased !== true) await erase(actors, address, entry);
      const isOver = age < 0 || age >= (store.shared ? LATE_MS.shared : LATE_MS.embedded);
      return isOver || entry.erased === true ? { type: 'erased', now: now() } : undefined;
    },
  };
}

function aboutIn({ rare }: Listed): AboutMessage | undefined {
  const { about } = JSON.parse(rare) as Pick<DeliveryContext, 'about'>;
  return isOfSubscription(about) ? about : undefined;
}

function addTo(all: Map<string, string[]>, server: string | undefined, { id }: Listed): void {
  if (server === undefined) return;
  const { name } = addressOf(id);
  const known = all.get(server);
  if (known === undefined) all.set(server, [name]);
  else known.push(name);
}
