import { Refusal } from '../../errors.js';
import type { Guard } from '../../http/route-groups.js';
import { READ, type Route, route } from '../../http/router.js';
import { type Store, StoreUnavailable } from '../../store/port.js';
import { singleFlight } from '../../system/ttl-cache.js';
import { isLetIn } from '../guard.js';
import type { PartState } from './part-watch.js';

/** Paths of the health checks. */
export const HEALTH = { all: '/health', ready: '/health/ready', live: '/health/live' } as const;

/** Longest wait for the store, ms. Orchestrators give a health check some seconds. */
const STORE_MS = 2_000;

export interface HealthOptions {
  readonly store: Store;
  /** Returns true once the service has started. */
  readonly ready: () => boolean;
  readonly parts: () => readonly PartState[];
  /** Lets operators in. Others are not told why a part or the store is away: the reason has its address. */
  readonly guard: Guard;
}

/**
 * Health checks. `/health/live` answers while the process does. `/health` and `/health/ready` are 503 until the service has
 * started and while the store is away; parts that are away, or up with a warning, are named in the body. They wait for the store
 * alone, for two seconds at most.
 */
export function healthRoutes({ store, ready, parts, guard }: HealthOptions): readonly Route[] {
  // Concurrent health checks share one ping of the store.
  const pings = singleFlight<void>();
  const checks = [HEALTH.all, HEALTH.ready].map((path) =>
    route(READ, path, async (ctx) => {
      if (!ready()) throw new Refusal('unavailable', 'the service is starting');
      try {
        await inTime(pings('store', () => store.ping()));
      } catch (error) {
        if (!(error instanceof StoreUnavailable && isLetIn(guard, ctx))) throw error;
        throw new Refusal('unavailable', `the database does not answer: ${error.message}`, { cause: error });
      }
      ctx.body = healthOf(parts(), isLetIn(guard, ctx));
    }),
  );
  const live = route(READ, HEALTH.live, (ctx) => {
    ctx.body = { status: 'ok' };
  });
  return [...checks, live];
}

/** Rejects with `StoreUnavailable` if the store takes too long. */
async function inTime(ping: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new StoreUnavailable(`the store has not answered in ${STORE_MS / 1000} s`));
    }, STORE_MS);
  });
  try {
    await Promise.race([ping, late]);
  } finally {
    clearTimeout(timer);
  }
}

function healthOf(parts: readonly PartState[], detailed: boolean): object {
  const faulty = parts.filter(({ status, warning }) => status === 'away' || warning !== undefined);
  if (faulty.length === 0) return { status: 'ok' };
  const named = faulty.map(({ name, detail, ...state }) => [
    name,
    detailed && detail !== null ? { ...state, detail } : state,
  ]);
  return { status: 'degraded', parts: Object.fromEntries(named) };
}
