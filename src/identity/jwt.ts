import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import type { CryptoKey, JWTPayload, JWTVerifyOptions, RemoteJWKSet } from 'jose';
import { ask, serviceUrl, unexpected, within } from './ask.js';
import type { Fetch } from './ask.js';
import { textOf } from '../untrusted/json.js';
import { type Identity, IdentityUnavailable, type Principal } from './port.js';
import { isToken } from './token.js';

/** Asymmetric only: what is published in a key set must never be usable as a shared secret. */
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

/** What the JWT adapter is given. */
interface JwtOptions {
  /** Address of the issuer's JSON Web Key Set. */
  readonly url: string;
  /** For whom tokens must be (`aud`): a token for another application of the same issuer is none for us. */
  readonly audience: string;
  /** Who must have issued them (`iss`). */
  readonly issuer: string;
  /** The claim that holds the tenant, which is its id and its name. */
  readonly tenantClaim: string;
  readonly timeoutMs: number;
  readonly fetch?: Fetch;
  /** ms since the epoch. */
  readonly now?: () => number;
}

/**
 * Checks signed JWTs (RFC 7519) against the issuer's published keys, which are fetched when first needed, again after
 * ten minutes, and when a token names an unknown key, at most every 30 s. Issuer and audience are compared, `exp` is
 * required, `nbf` observed. Such a token cannot be revoked before it ends. Throws an `Error` for an unusable url.
 */
export function jwt(options: JwtOptions): Identity {
  const { audience, issuer, tenantClaim, timeoutMs, fetch = globalThis.fetch, now = Date.now } = options;
  const keySet = createRemoteJWKSet(new URL(serviceUrl(options.url)), {
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

/** Undefined where the claim is missing or no text: nothing else stands for a tenant. */
function principalIn(claims: JWTPayload, tenantClaim: string): Principal | undefined {
  const id = Object.hasOwn(claims, tenantClaim) ? textOf(claims[tenantClaim]) : undefined;
  if (id === undefined || claims.exp === undefined) return undefined;
  return { tenant: { id, name: id }, expiresAt: claims.exp * 1000 };
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
    return error instanceof errors.JWKSMultipleMatchingKeys ? tried(token, error, options) : undefined;
  }
}

/** Parts what is wrong with the token (no key fits it) from what is wrong with the key set. */
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

/** A token need not say which of the issuer's keys signed it: then each that fits is tried. */
async function tried(
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
    const question = { url, method: 'GET', headers: Object.fromEntries(headers) } as const;
    const answer = await within(timeoutMs, (signal) => ask(fetch, question, signal));
    if (answer.status !== 200) throw unexpected(answer, 'the request for its keys');
    return new Response(answer.text);
  };
}
