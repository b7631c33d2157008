import { createHash } from 'node:crypto';
import type { Identity, Principal } from './port.js';

/** How a cache of checked tokens behaves. */
interface CacheOptions {
  /** Seconds that an answer is believed at most, counted from when it was asked for; 0: no answer is kept. */
  readonly ttlS: number;
  /** Tokens kept at most; the least recently used go first. */
  readonly max: number;
  /** ms since the epoch. */
  readonly now?: () => number;
}

interface Entry {
  readonly principal: Principal;
  /** ms since the epoch. */
  readonly until: number;
}

/**
 * An identity whose answers are remembered by the SHA-256 of the token, for `ttlS` and never beyond the token's own
 * end. Concurrent checks of one token are one check.
 *
 * Only valid tokens are kept. A refused one may become valid (a token that a replica of the identity service has not
 * seen yet), its owner gets a new one at once (policy §5, rule 5), and keeping refusals would let anybody push good
 * tokens out by sending bad ones. Failures are not answers and are not kept either.
 */
export function cached(identity: Identity, { ttlS, max, now = Date.now }: CacheOptions): Identity {
  // A Map iterates in order of insertion: taken out and put back on use, its first entry is the least recently used.
  const entries = new Map<string, Entry>();
  const pending = new Map<string, Promise<Principal | undefined>>();

  function keep(key: string, principal: Principal, askedAt: number): void {
    const until = Math.min(principal.expiresAt, askedAt + ttlS * 1000);
    if (until <= now()) return;
    entries.delete(key);
    entries.set(key, { principal, until });
    const [oldest] = entries.keys();
    if (entries.size > max && oldest !== undefined) entries.delete(oldest);
  }

  async function check(key: string, token: string): Promise<Principal | undefined> {
    const askedAt = now();
    const principal = await identity.verify(token);
    if (principal === undefined || principal.expiresAt <= now()) return undefined;
    keep(key, principal, askedAt);
    return principal;
  }

  return {
    async verify(token) {
      const key = createHash('sha256').update(token).digest('base64');
      const entry = entries.get(key);
      entries.delete(key);
      if (entry !== undefined && now() < entry.until) {
        entries.set(key, entry);
        return entry.principal;
      }
      let checking = pending.get(key);
      if (checking === undefined) {
        checking = check(key, token).finally(() => pending.delete(key));
        pending.set(key, checking);
      }
      return checking;
    },
    close: () => identity.close(),
  };
}
