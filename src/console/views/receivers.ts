import { contextIn } from '../../actors/behavior.js';
import { ifReadable } from '../../actors/reading.js';
import type { Actors } from '../../actors/kind.js';
import { ENDPOINT, type EndpointContext } from '../../delivery/endpoint/endpoint-machine.js';
import type { ServerContext } from '../../policy/server/server-context.js';
import { SERVER } from '../../policy/server/server-kind.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Listed, type Store } from '../../store/port.js';
import { inBatches } from '../../system/in-batches.js';
import { ttlCache } from '../../system/ttl-cache.js';
import type { ReceiversView } from '../shapes.js';

/** Returns the receivers in trouble of a tenant; undefined: of all tenants. */
export type ListReceivers = (tenant: string | undefined) => Promise<ReceiversView>;

type Receiver = ReceiversView['receivers'][number];
type ReceiverWithoutUrl = Omit<Receiver, 'url'>;

/** States of an endpoint with something to show, the more urgent first. */
const STATES = ['suspended', 'open'] as const;
/** Maximum number of endpoints that are read in one state. One has up to 1,000 ids of dead letters. */
const READ_LIMIT = 1_000;
const PAGE = 200;
/** Endpoints parsed in one turn of the event loop. */
const BATCH = 10;
/** Maximum number of receivers in an answer. */
const SHOWN = 50;
/** How long an answer is kept, ms. Pages of one tenant share it. */
const KEPT_MS = 1_000;
/** Maximum number of tenants whose answers are kept. */
const KEPT = 1_000;

/**
 * Creates the listing of subscriptions with dead letters or a suspension: most dead letters first, at most 50. Of more
 * than 1,000 endpoints in a state it reads the first ones. An answer is up to a second old. `now` is in ms since the epoch.
 */
export function createReceivers(options: {
  readonly actors: Actors;
  readonly store: Store;
  readonly now: () => number;
}): ListReceivers {
  const { actors, store, now } = options;
  const kept = ttlCache<ReceiversView>({ ttlMs: KEPT_MS, max: KEPT, now });

  const read = async (tenant: string | undefined): Promise<ReceiversView> => {
    const found = new Map<string, ReceiverWithoutUrl>();
    let more = false;
    for (const state of STATES) {
      let seen = 0;
      const ask = (after: string | undefined) =>
        store.list({ kind: ENDPOINT, tenant, state, after, limit: PAGE });
      for await (const page of pages(ask)) {
        if (seen >= READ_LIMIT) {
          more = true;
          break;
        }
        seen += page.length;
        for await (const batch of inBatches(page, BATCH)) {
          for (const listed of batch) found.set(listed.id, receiverOf(listed));
        }
      }
    }
    const inTrouble = [...found.values()]
      .filter(({ dead, suspended }) => dead > 0 || suspended !== null)
      .toSorted(worstFirst);
    const shown = inTrouble.slice(0, SHOWN);
    const urls = await Promise.all(shown.map((receiver) => urlOf(actors, receiver)));
    const receivers = shown.map((receiver, i) => ({ ...receiver, url: urls[i]! }));
    return { receivers, more: more || inTrouble.length > SHOWN };
  };

  return (tenant) => kept.get(tenant ?? '', () => read(tenant));
}

function receiverOf({ id, frequent, rare }: Listed): ReceiverWithoutUrl {
  const { server, suspended, dead } = contextIn({ frequent, rare }) as EndpointContext;
  const { tenant, name } = addressOf(id);
  return {
    tenant,
    server: server ?? null,
    subscriptionId: name,
    dead: dead.length,
    suspended: suspended === undefined ? null : new Date(suspended).toISOString(),
  };
}

function worstFirst(a: ReceiverWithoutUrl, b: ReceiverWithoutUrl): number {
  return b.dead - a.dead || Number(a.suspended === null) - Number(b.suspended === null);
}

/** Returns the url of a subscription; null if it has ended. */
async function urlOf(actors: Actors, { tenant, server, subscriptionId }: ReceiverWithoutUrl) {
  if (server === null) return null;
  const address = { kind: SERVER, tenant, name: server };
  const view = await ifReadable(actors.read<ServerContext>(address));
  return view?.context.subscriptions.find(({ id }) => id === subscriptionId)?.url ?? null;
}
