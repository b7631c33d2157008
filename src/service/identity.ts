import type { Config } from '../config/config.js';
import { openIdentity } from '../identity/select.js';
import type { IdentityOptions, OpenIdentity } from '../identity/select.js';
import { durableSecret } from '../store/durable-secret.js';
import type { Store } from '../store/port.js';

/** Lifetime of a token of the embedded identity, s. */
const TOKEN_TTL_S = 24 * 60 * 60;

/** Opens the configured identity service. */
export async function identityOf({ identity }: Config, store: Store): Promise<OpenIdentity> {
  const { tokenCacheS: cacheS, ...chosen } = identity;
  const options: IdentityOptions =
    chosen.kind === 'embedded'
      ? { ...chosen, cacheS, secret: await durableSecret(store, 'identity'), tokenTtlS: TOKEN_TTL_S }
      : { ...chosen, cacheS };
  return openIdentity(options);
}

/** Returns the challenge for a client without a valid token: the address that issues tokens (policy §5, rule 5). */
export function challengeOf({ identity }: Config, publicUrl: string): string {
  const uri = identity.kind === 'embedded' ? `${publicUrl}/identity/v2.0` : identity.url;
  return `Keystone uri="${uri}"`;
}
