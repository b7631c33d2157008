import { Refusal } from '../errors.js';
import type { EdgeMiddleware } from './context.js';

/** When requests are turned away. */
export interface ShedOptions {
  /** Requests worked on at the same time. */
  readonly maxInFlight: number;
  /** Paths that are always served and never counted: who watches the service must still reach it. */
  readonly exempt: readonly string[];
}

/**
 * Refuses at once what comes while as many requests as allowed are in flight: `Refusal('unavailable')`. One is in
 * flight until it is worked off and its answer is read: an answer that nobody reads holds memory, and so does the work
 * for a client that has gone.
 */
export function shed({ maxInFlight, exempt }: ShedOptions): EdgeMiddleware {
  let inFlight = 0;
  return async (ctx, next) => {
    if (exempt.includes(ctx.state.path)) return next();
    if (inFlight >= maxInFlight) {
      throw new Refusal(
        'unavailable',
        'too many requests at the same time; nothing was done, try again in a second',
      );
    }
    inFlight += 1;
    const closed = new Promise((resolve) => ctx.res.once('close', resolve));
    try {
      return await next();
    } finally {
      void closed.then(() => (inFlight -= 1));
    }
  };
}
