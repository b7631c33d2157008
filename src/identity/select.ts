import { cached } from './cache.js';
import { type EmbeddedIdentity, embeddedIdentity } from './embedded.js';
import { jwt } from './jwt.js';
import { keystoneV2 } from './keystone-v2.js';
import { keystoneV3 } from './keystone-v3.js';
import { oauth2 } from './oauth2.js';
import type { Identity } from './port.js';

/** Longest check by a remote identity service, ms. Beyond it the service counts as unreachable (policy §7). */
const TIMEOUT_MS = 5_000;

/** Most tokens in the cache. An entry takes about half a kilobyte. */
const CACHED_TOKENS = 10_000;

/** A user of the embedded identity, or this service's account at a remote one. */
interface Credentials {
  readonly tenant: string;
  readonly user: string;
  readonly password: string;
}

/** Identity service to use. `url` is IDENTITY_URL, `admin` the IDENTITY_ADMIN_… settings. */
export type IdentityOptions = { readonly cacheS: number } & (
  | { readonly kind: 'keystone-v2' | 'keystone-v3'; readonly url: string; readonly admin: Credentials }
  | { readonly kind: 'oauth2'; readonly url: string; readonly admin: Omit<Credentials, 'tenant'> }
  | {
      readonly kind: 'jwt';
      readonly url: string;
      /** IDENTITY_AUDIENCE, IDENTITY_ISSUER and IDENTITY_TENANT_CLAIM. */
      readonly audience: string;
      readonly issuer: string;
      readonly tenantClaim: string;
    }
  | {
      readonly kind: 'embedded';
      /** At least 32 bytes. Tokens are valid as long as it stays the same. */
      readonly secret: Uint8Array;
      readonly users: readonly Credentials[];
      /** Lifetime of a token, s. */
      readonly tokenTtlS: number;
    }
);

/** An open identity service. */
export interface OpenIdentity extends Identity {
  /** Issues tokens. undefined unless the identity is embedded. */
  readonly issue: EmbeddedIdentity['issue'] | undefined;
}

/**
 * Opens the configured identity service with a cache of `cacheS` seconds. Sends no request yet. Throws an `Error` that
 * names the setting of an unusable url.
 */
export function openIdentity(options: IdentityOptions): OpenIdentity {
  const cache = { ttlS: options.cacheS, max: CACHED_TOKENS };
  if (options.kind !== 'embedded') return { ...cached(remote(options), cache), issue: undefined };
  const identity = embeddedIdentity(options);
  return { ...cached(identity, cache), issue: identity.issue };
}

function remote(options: Exclude<IdentityOptions, { kind: 'embedded' }>): Identity {
  if (options.kind === 'oauth2') return oauth2({ ...options, timeoutMs: TIMEOUT_MS });
  if (options.kind === 'jwt') return jwt({ ...options, timeoutMs: TIMEOUT_MS });
  const keystone = options.kind === 'keystone-v2' ? keystoneV2 : keystoneV3;
  return keystone({ ...options, timeoutMs: TIMEOUT_MS });
}
