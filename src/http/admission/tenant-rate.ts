import { Refusal } from '../../errors.js';
import { lruCache } from '../../system/lru-cache.js';

/** Tenants that are remembered. One that was forgotten may send a second's requests at once. */
const REMEMBERED = 10_000;
/** Requests of so long may come at once, ms. */
const BURST_MS = 1000;

/** When the requests of a tenant so far would have come at an even pace, ms of `performance.now`. */
interface Pace {
  at: number;
}

/**
 * The limit of a tenant's requests, in requests per second (GCRA): a second's requests may come at once. Requests that prove their
 * tenant and those that claim it count apart, so that a stranger uses nothing of a tenant's limit.
 */
export class TenantRate {
  private readonly proven = lruCache<Pace>(REMEMBERED);
  private readonly claimed = lruCache<Pace>(REMEMBERED);
  private readonly stepMs: number;

  /** `perSecond`: at least 1. `now`: ms of a monotonic clock. */
  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.stepMs = 1000 / perSecond;
  }

  /** Counts a request. Throws `Refusal('too-many-requests')` that names the limit, and counts nothing then. */
  count(tenant: string, proven: boolean): void {
    const paces = proven ? this.proven : this.claimed;
    const now = this.now();
    let pace = paces.get(tenant);
    if (pace === undefined) paces.set(tenant, (pace = { at: now }));
    const at = pace.at > now ? pace.at : now;
    // Sums of steps are not exact.
    if (at + this.stepMs > now + BURST_MS + 1e-3) {
      throw new Refusal(
        'too-many-requests',
        `this tenant sends more than ${this.perSecond} per second, the limit of its requests (TENANT_RATE); nothing was done, try again in a second`,
        { retryAfterS: 1 },
      );
    }
    pace.at = at + this.stepMs;
  }
}
