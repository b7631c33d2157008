import { createHash } from 'node:crypto';
import { ttlCache } from '../system/ttl-cache.js';
import type { Identity, Principal } from './port.js';

/** Settings of a cache of verified tokens. */
interface CacheOptions {
  /** Maximum time that an answer is cached, s. 0: no answer is cached. */
  readonly ttlS: number;
  /** Maximum number of tokens in the cache. It drops the least recently used first. */
  readonly max: number;
  /** ms since the epoch. */
  readonly now?: () => number;
}

/**
 * Wraps an identity with a cache of its answers, by the SHA-256 of the token, for `ttlS` and never beyond the end of
 * the token. Concurrent checks of one token are one check.
 *
 * Only valid tokens are cached. A refused token may become valid, for example when a replica of the identity service
 * has not seen it yet, and its owner gets a new one at once (policy §5, rule 5). Cached refusals would also let a client
 * push valid tokens out of the cache with invalid ones.
 */
export function cached(identity: Identity, { ttlS, max, now = Date.now }: CacheOptions): Identity {
  const principals = ttlCache<Principal | undefined>({
    ttlMs: ttlS * 1000,
    expiresAt: (principal) => principal?.expiresAt ?? 0,
    max,
    now,
  });

  const verify = async (token: string): Promise<Principal | undefined> => {
    const principal = await identity.verify(token);
    return principal !== undefined && now() < principal.expiresAt ? principal : undefined;
  };

  return {
    verify(token) {
      const key = createHash('sha256').update(token).digest('base64');
      return principals.get(key, () => verify(token));
    },
    close: () => identity.close(),
  };
}
