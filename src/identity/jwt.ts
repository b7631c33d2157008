import {
  createRemoteJWKSet,
  type CryptoKey,
  customFetch,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyOptions,
  type RemoteJWKSet,
} from 'jose';
import { type Fetch, isToken, type RemoteOptions, send, unexpected, withTimeout } from './exchange.js';
import { textOf } from '../untrusted/json.js';
import { userOf } from './claims.js';
import { type Identity, IdentityUnavailable, type Principal } from './port.js';

/** Asymmetric algorithms only: a published key must not be usable as a shared secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Settings of the JWT adapter. */
export interface JwtOptions extends RemoteOptions {
  /** Address of the issuer's JSON Web Key Set. */
  readonly url: string;
  /** Required `aud`. Tokens for other applications of the same issuer are refused. */
  readonly audience: string;
  /** Required `iss`. */
  readonly issuer: string;
  /** Claim with the tenant, used as its id and its name. */
  readonly tenantClaim: string;
}

/**
 * Verifies signed JWTs (RFC 7519) with the issuer's published keys. The keys are fetched on first use, again after ten
 * minutes, and when a token names an unknown key, at most every 30 s. `iss` and `aud` must match, `exp` is required,
 * `nbf` respected. A JWT cannot be revoked before it expires.
 */
export function jwt(options: JwtOptions): Identity {
  const { audience, issuer, tenantClaim, timeoutMs, fetch = globalThis.fetch, now = Date.now } = options;
  const keySet = createRemoteJWKSet(new URL(options.url), {
    [customFetch]: boundedFetch(fetch, timeoutMs),
  });

  return {
    async verify(token) {
      if (!isToken(token)) return undefined;
      const claims = await claimsOf(token, keySet, {
        algorithms: ALGORITHMS,
        audience,
        issuer,
        requiredClaims: ['exp'],
        currentDate: new Date(now()),
      });
      return claims === undefined ? undefined : principalIn(claims, tenantClaim);
    },
    async close() {},
  };
}

/** Returns undefined if the claim is missing or not a string. */
function principalIn(claims: JWTPayload, tenantClaim: string): Principal | undefined {
  const id = Object.hasOwn(claims, tenantClaim) ? textOf(claims[tenantClaim]) : undefined;
  if (id === undefined || claims.exp === undefined) return undefined;
  return { tenant: { id, name: id }, user: userOf(claims), expiresAt: claims.exp * 1000 };
}

async function claimsOf(
  token: string,
  keySet: RemoteJWKSet,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  try {
    return (await jwtVerify(token, (header, jws) => keyOf(keySet, header, jws), options)).payload;
  } catch (error) {
    if (error instanceof IdentityUnavailable) throw error;
    return error instanceof errors.JWKSMultipleMatchingKeys ? tryKeys(token, error, options) : undefined;
  }
}

/** Returns the key of a token. Throws jose's error if none matches it, `IdentityUnavailable` if the key set is unusable. */
async function keyOf(keySet: RemoteJWKSet, ...jws: Parameters<RemoteJWKSet>): Promise<CryptoKey> {
  try {
    return await keySet(...jws);
  } catch (cause) {
    if (cause instanceof IdentityUnavailable) throw cause;
    if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys)
      throw cause;
    throw new IdentityUnavailable('No usable key set at IDENTITY_URL; check the address.', { cause });
  }
}

/** Tries each matching key: a token need not name the key that signed it. */
async function tryKeys(
  token: string,
  keys: AsyncIterable<CryptoKey>,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return undefined;
    }
  }
  return undefined;
}

function boundedFetch(fetch: Fetch, timeoutMs: number) {
  return async (url: string, { headers }: { headers: Headers }): Promise<Response> => {
    const request = { url, method: 'GET', headers: Object.fromEntries(headers) } as const;
    const answer = await withTimeout(timeoutMs, (signal) => send(fetch, request, signal));
    if (answer.status !== 200) throw unexpected(answer, 'the request for its keys');
    return new Response(answer.text);
  };
}
