import { cached } from './cache.js';
import { type EmbeddedIdentity, embeddedIdentity, type EmbeddedIdentityOptions } from './embedded.js';
import { jwt, type JwtOptions } from './jwt.js';
import { type KeystoneOptions, keystoneV2, keystoneV3 } from './keystone.js';
import { oauth2, type OAuth2Options } from './oauth2.js';
import type { RemoteOptions } from './exchange.js';
import { guessLimit } from './guess-limit.js';
import { Refusal } from '../errors.js';
import type { Credentials, Identity, IssuingIdentity } from './port.js';

/** Longest check by a remote identity service, ms. Beyond it the service counts as unreachable (policy §7). */
const TIMEOUT_MS = 5_000;

/** Maximum number of tokens in the cache. An entry takes about half a kilobyte. */
const CACHED_TOKENS = 10_000;

type Settings<O> = Omit<O, keyof RemoteOptions>;

/** Identity service to use. `url` is IDENTITY_URL, `admin` the IDENTITY_ADMIN_… settings. */
export type IdentityOptions = { readonly cacheS: number } & (
  | ({ readonly kind: 'keystone-v2' | 'keystone-v3' } & Settings<KeystoneOptions>)
  | ({ readonly kind: 'oauth2' } & Settings<OAuth2Options>)
  | ({ readonly kind: 'jwt' } & Settings<JwtOptions>)
  | ({ readonly kind: 'embedded' } & Settings<EmbeddedIdentityOptions>)
);

/** An open identity service. */
export interface OpenIdentity extends Identity {
  /** Issues tokens. undefined unless the identity is embedded. */
  readonly issue: EmbeddedIdentity['issue'] | undefined;
  /** Issues a token to a user. undefined if the identity service takes no passwords from this service. */
  readonly login: PasswordLogin | undefined;
}

/**
 * Returns a token of a tenant. `client` is the address of the user. Throws `Refusal`: `unauthorized` for wrong
 * credentials, `too-many-requests` after too many of them for one account from one client; and `IdentityUnavailable`.
 */
export type PasswordLogin = (credentials: Credentials, client: string) => Promise<string>;

/** Opens the configured identity service with a cache of `cacheS` seconds. Sends no request yet. */
export function openIdentity(options: IdentityOptions): OpenIdentity {
  const cache = { ttlS: options.cacheS, max: CACHED_TOKENS };
  if (options.kind === 'embedded') {
    const identity = embeddedIdentity(options);
    return { ...cached(identity, cache), issue: identity.issue, login: issuedBy(identity.issue) };
  }
  const remoteOptions = { ...options, timeoutMs: TIMEOUT_MS };
  if (remoteOptions.kind === 'oauth2' || remoteOptions.kind === 'jwt') {
    const identity = remoteOptions.kind === 'oauth2' ? oauth2(remoteOptions) : jwt(remoteOptions);
    return { ...cached(identity, cache), issue: undefined, login: undefined };
  }
  const keystone = remoteOptions.kind === 'keystone-v2' ? keystoneV2 : keystoneV3;
  const identity = keystone(remoteOptions);
  return { ...cached(identity, cache), issue: undefined, login: limitedLogin(identity) };
}

/** The embedded identity counts wrong guesses itself. */
function issuedBy(issue: EmbeddedIdentity['issue']): PasswordLogin {
  return async ({ tenant, user, password }, client) => {
    const auth = { tenantName: tenant, passwordCredentials: { username: user, password } };
    return (await issue({ auth }, client)).access.token.id;
  };
}

function limitedLogin(identity: IssuingIdentity): PasswordLogin {
  const attempts = guessLimit();
  return (credentials, client) =>
    attempts.limitedLater([client, credentials.tenant, credentials.user], async () => {
      const token = await identity.login(credentials);
      if (token !== undefined) return token;
      throw new Refusal('unauthorized', 'The tenant, the user name or the password is wrong.');
    });
}
