import { refusedCredentials } from './admin-session.js';
import { type Answer, ask, jsonOf, malformed, serviceUrl, unexpected, within } from './ask.js';
import { principalOfClaims } from './claims.js';
import type { Identity, Principal } from './port.js';
import { isToken } from './token.js';

/** How long an answer holds that does not say when the token ends (RFC 7662 makes `exp` optional), ms. */
const WITHOUT_EXP = 60_000;

/** What the introspection adapter is given. */
interface OAuth2Options {
  /** The introspection endpoint. */
  readonly url: string;
  /** Who the service is there: client id and client secret. */
  readonly admin: { readonly user: string; readonly password: string };
  readonly timeoutMs: number;
  readonly fetch?: typeof globalThis.fetch;
  /** ms since the epoch. */
  readonly now?: () => number;
}

/**
 * Checks tokens by OAuth 2.0 token introspection (RFC 7662; policy §5, rule 6). The tenant comes from the answer's
 * members that `principalOfClaims` lists; a token that names none is undefined. Throws an `Error` for an unusable url.
 */
export function oauth2(options: OAuth2Options): Identity {
  const { admin, timeoutMs, fetch = globalThis.fetch, now = Date.now } = options;
  const url = serviceUrl(options.url);
  const headers = {
    authorization: `Basic ${btoa(`${formEncoded(admin.user)}:${formEncoded(admin.password)}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };

  return {
    async verify(token) {
      if (!isToken(token)) return undefined;
      const body = new URLSearchParams({ token, token_type_hint: 'access_token' }).toString();
      const answer = await within(timeoutMs, (signal) =>
        ask(fetch, { url, method: 'POST', headers, body }, signal),
      );
      if (answer.status === 401 || answer.status === 403) {
        throw refusedCredentials('IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD');
      }
      if (answer.status !== 200) throw unexpected(answer, 'the check of a token');
      return introspected(answer, now());
    },
    async close() {},
  };
}

function introspected(answer: Answer, now: number): Principal | undefined {
  const json = jsonOf(answer);
  if (!isRecord(json) || typeof json['active'] !== 'boolean')
    throw malformed('an introspection without `active`');
  if (!json['active']) return undefined;
  const { exp } = json;
  if (exp !== undefined && (typeof exp !== 'number' || !Number.isFinite(exp)))
    throw malformed('`exp` is no number');
  const expiresAt = exp === undefined ? now + WITHOUT_EXP : exp * 1000;
  return expiresAt > now ? principalOfClaims(json, expiresAt) : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** RFC 6749 §2.3.1 has id and secret form-encoded before they become a Basic credential. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
