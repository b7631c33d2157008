import { cached } from './cache.js';
import { type EmbeddedIdentity, embeddedIdentity } from './embedded.js';
import { jwt } from './jwt.js';
import { keystoneV2 } from './keystone-v2.js';
import { keystoneV3 } from './keystone-v3.js';
import { oauth2 } from './oauth2.js';
import type { Identity } from './port.js';

/** How long a remote identity service may take for one check, ms (policy §7: beyond it, it cannot be contacted). */
const TIMEOUT_MS = 5_000;

/** Tokens remembered at most; an entry takes about half a kilobyte. */
const CACHED_TOKENS = 10_000;

/** A user of the embedded identity, or the service itself at a remote one. */
interface Credentials {
  readonly tenant: string;
  readonly user: string;
  readonly password: string;
}

/** Which identity service to use. `url` is IDENTITY_URL, `admin` the IDENTITY_ADMIN_… settings. */
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
      /** At least 32 bytes, kept as durably as the tokens shall be valid. */
      readonly secret: Uint8Array;
      readonly users: readonly Credentials[];
      /** Seconds that a token is valid. */
      readonly tokenTtlS: number;
    }
);

/** An identity service in use. */
export interface OpenIdentity extends Identity {
  /** Issues tokens; only the embedded identity does. */
  readonly issue: EmbeddedIdentity['issue'] | undefined;
}

/**
 * Opens the configured identity service, with a cache that believes an answer for `cacheS` seconds. Nothing is asked
 * of a remote one yet. Throws an `Error` naming the setting for an unusable url.
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
