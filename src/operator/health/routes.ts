import { Refusal } from '../../errors.js';
import { READ, type Route, route } from '../../http/router.js';
import type { Store } from '../../store/port.js';
import { singleFlight } from '../../system/ttl-cache.js';
import type { PartState } from './part-watch.js';

/** Paths of the health checks. */
export const HEALTH = { all: '/health', ready: '/health/ready', live: '/health/live' } as const;

export interface HealthOptions {
  readonly store: Store;
  /** Returns true once the service has started. */
  readonly ready: () => boolean;
  readonly parts: () => readonly PartState[];
}

/**
 * Health checks. `/health/live` answers while the process does. `/health` and `/health/ready` are 503 until the service has
 * started and while the store is away; parts that are away are named in the body. They wait for the store alone.
 */
export function healthRoutes({ store, ready, parts }: HealthOptions): readonly Route[] {
  // Concurrent health checks share one ping of the store.
  const pings = singleFlight<void>();
  const checks = [HEALTH.all, HEALTH.ready].map((path) =>
    route(READ, path, async (ctx) => {
      if (!ready()) throw new Refusal('unavailable', 'the service is starting');
      await pings('store', () => store.ping());
      ctx.body = healthOf(parts());
    }),
  );
  const live = route(READ, HEALTH.live, (ctx) => {
    ctx.body = { status: 'ok' };
  });
  return [...checks, live];
}

function healthOf(parts: readonly PartState[]): object {
  const away = parts.filter(({ status }) => status === 'away');
  if (away.length === 0) return { status: 'ok' };
  const named = away.map(({ name, ...state }) => [name, state]);
  return { status: 'degraded', parts: Object.fromEntries(named) };
}
