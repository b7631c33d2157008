import type { Registry } from 'prom-client';
import { DELIVERY, PENDING_STATES } from '../../delivery/delivery.js';
import { ENDPOINT } from '../../delivery/endpoint/endpoint-machine.js';
import { ACCOUNT, OPERATION, TRANSACTION } from '../../ledger/addresses.js';
import type { Store } from '../../store/port.js';
import { inTime } from '../../system/in-time.js';
import { cachedValue } from '../../system/ttl-cache.js';
import { oldestWaiting } from './oldest-waiting.js';
import { SERVER } from '../../policy/server/server-kind.js';
import { SERVER_STATES } from '../../policy/server/server-machine.js';
import { readOnScrape } from './read.js';

/** Maximum number of documents of one kind and state that are counted. */
const MAX_COUNTED = 1_000_000;
/** Time for which the answers of the store serve all scrapes, ms. */
const FRESH_MS = 1_000;
/** Maximum time for which a scrape waits for the store, ms. */
const PATIENCE_MS = 2_000;

/** The counted documents: a metric with the states of a kind. */
interface Counted {
  readonly name: string;
  readonly help: string;
  readonly kind: string;
  readonly states: readonly string[];
}

const COUNTED: readonly Counted[] = [
  {
    name: 'mirzam_servers',
    help: 'Servers by state: the worst state of their subscriptions',
    kind: SERVER,
    states: SERVER_STATES,
  },
  {
    name: 'mirzam_deliveries',
    help: 'Deliveries that are sent now, that wait for an attempt or for an earlier message, and dead letters',
    kind: DELIVERY,
    states: [...PENDING_STATES, 'dead'],
  },
  {
    name: 'mirzam_endpoints',
    help: 'Receivers of subscriptions with dead letters or refusals, and suspended ones',
    kind: ENDPOINT,
    states: ['open', 'suspended'],
  },
];

const COUNTED_OF_LEDGER: readonly Counted[] = [
  {
    name: 'mirzam_accounts',
    help: 'Accounts of the ledger by state; a stalled one waits for a released nonce',
    kind: ACCOUNT,
    states: ['idle', 'dispatching', 'stalled'],
  },
  {
    name: 'mirzam_transactions',
    help: 'Transactions with an actor of their own that are in no block, and those that the chain refused',
    kind: TRANSACTION,
    states: ['sending', 'refused'],
  },
  {
    name: 'mirzam_accepted_operations',
    help: 'Notifications that the default account has not recorded yet, and those that failed',
    kind: OPERATION,
    states: ['pending', 'failed'],
  },
];

export interface StoreFigures {
  readonly store: Pick<Store, 'count' | 'list' | 'ping'>;
  /** Returns how many servers are in which state, from counts that are kept; absent: the store counts documents. */
  readonly serversByState?: (() => Promise<StateCounts>) | undefined;
  readonly hasLedger: boolean;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** The figures of the store at a scrape. */
interface Census {
  /** By the name of a metric. */
  readonly counts: ReadonlyMap<string, StateCounts>;
  /** When the oldest waiting delivery was to be sent first, ms since the epoch. */
  readonly oldest: number | undefined;
}

/**
 * Adds the metrics that the store is asked for on each scrape. Scrapes within a second share the answers. A scrape goes on
 * without them while the store is down, and with those of an earlier scrape if they take more than two seconds.
 */
export function storeMetrics(registry: Registry, figures: StoreFigures): void {
  const { store, serversByState, hasLedger, now } = figures;
  const counted = hasLedger ? [...COUNTED, ...COUNTED_OF_LEDGER] : COUNTED;
  const oldest = oldestWaiting(store);
  let last: Census | undefined;
  const answers = async (): Promise<boolean> =>
    store.ping().then(
      () => true,
      () => false,
    );
  const load = async (): Promise<Census | undefined> => {
    try {
      const counts = new Map<string, StateCounts>();
      for (const one of counted) {
        const isKept = one.kind === SERVER && serversByState !== undefined;
        counts.set(one.name, await (isKept ? serversByState() : countsOf(store, one)));
      }
      last = { counts, oldest: await oldest() };
    } catch {
      last = undefined;
    }
    return last;
  };
  const lifetime = { ttlMs: FRESH_MS, now };
  const pings = cachedValue({ ...lifetime, load: answers });
  const loads = cachedValue({ ...lifetime, load });
  const isUp = (): Promise<boolean> => orLate(pings.get(), () => false);
  const census = async (): Promise<Census | undefined> => {
    const [up, found] = await Promise.all([isUp(), orLate(loads.get(), () => last)]);
    return up ? found : undefined;
  };

  const { gauge } = readOnScrape(registry);
  gauge('mirzam_store_up', '1 if the store answers in two seconds, else 0', async () =>
    (await isUp()) ? 1 : 0,
  );
  for (const { name, help } of counted) {
    gauge(name, help, async () => (await census())?.counts.get(name) ?? [], 'state');
  }
  gauge(
    'mirzam_delivery_oldest_age_seconds',
    'Time since the oldest delivery that waits for an attempt was to be sent first; 0 without one',
    async () => {
      const found = await census();
      return found && Math.max(0, now() - (found.oldest ?? Infinity)) / 1000;
    },
  );
}

type StateCounts = readonly (readonly [state: string, count: number])[];

function countsOf(store: Pick<Store, 'count'>, { kind, states }: Counted): Promise<StateCounts> {
  return Promise.all(
    states.map(async (state) => [state, await store.count({ kind, state, limit: MAX_COUNTED })] as const),
  );
}

/** Resolves with `late()` if the answer takes too long. */
function orLate<V>(asked: Promise<V>, late: () => V): Promise<V> {
  return inTime(asked, PATIENCE_MS, () => new Error('the store takes too long')).catch(late);
}
