import { Refusal } from '../../errors.js';
import type { Guard } from '../../http/route-groups.js';
import { READ, type Route, route } from '../../http/router.js';
import { type Store, StoreUnavailable } from '../../store/port.js';
import { inTime } from '../../system/in-time.js';
import { singleFlight } from '../../system/ttl-cache.js';
import { isLetIn } from '../guard.js';
import type { DependencyState } from '../shapes.js';
import type { ReadinessState } from './readiness.js';

/** Paths of the health checks. */
export const HEALTH = { all: '/health', ready: '/health/ready', live: '/health/live' } as const;

/** Maximum wait for the store, ms. Orchestrators give a health check some seconds. */
const STORE_MS = 2_000;

export interface HealthOptions {
  readonly store: Store;
  readonly readiness: Pick<ReadinessState, 'get' | 'checked'>;
  readonly dependencies: () => readonly DependencyState[];
  /** Lets operators in. Others are not told why a dependency or the store is down: the reason has its address. */
  readonly guard: Guard;
}

/**
 * Health checks. `/health/live` answers while the process does. `/health` and `/health/ready` are 503 until the service has
 * started and while the store is down, and `/health/ready` from the beginning of a stop on. Their body names the dependencies that are down, or up with a warning. They wait
 * for the store alone, for two seconds at most.
 */
export function healthRoutes({ store, readiness, dependencies, guard }: HealthOptions): readonly Route[] {
  // Concurrent health checks share one ping of the store.
  const pings = singleFlight<void>();
  const checks = [HEALTH.all, HEALTH.ready].map((path) =>
    route(READ, path, async (ctx) => {
      if (path === HEALTH.ready) readiness.checked();
      const state = readiness.get();
      if (state === 'starting' || (state === 'stopping' && path === HEALTH.ready)) {
        throw new Refusal('unavailable', `the service is ${state}`);
      }
      try {
        await inTime(
          pings('store', () => store.ping()),
          STORE_MS,
          notAnswered,
        );
      } catch (error) {
        if (!(error instanceof StoreUnavailable && isLetIn(guard, ctx))) throw error;
        throw new Refusal('unavailable', `the database does not answer: ${error.message}`, { cause: error });
      }
      ctx.body = healthOf(dependencies(), isLetIn(guard, ctx));
    }),
  );
  const live = route(READ, HEALTH.live, (ctx) => {
    ctx.body = { status: 'ok' };
  });
  return [...checks, live];
}

/** Returns the body. The API says `away` for down. */
function healthOf(dependencies: readonly DependencyState[], detailed: boolean): object {
  const faulty = dependencies.filter(({ status, warning }) => status === 'down' || warning !== undefined);
  if (faulty.length === 0) return { status: 'ok' };
  const named = faulty.map(({ name, detail, ...state }) => {
    const shown = { ...state, status: state.status === 'down' ? 'away' : 'up' };
    return [name, detailed && detail !== null ? { ...shown, detail } : shown];
  });
  return { status: 'degraded', parts: Object.fromEntries(named) };
}

function notAnswered(): StoreUnavailable {
  return new StoreUnavailable(`the store has not answered in ${STORE_MS / 1000} s`);
}
