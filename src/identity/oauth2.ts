import { isObject } from '../untrusted/json.js';
import { firstText, userOf } from './claims.js';
import { refusedCredentials } from './admin-session.js';
import {
  type Answer,
  answerJson,
  isToken,
  malformed,
  type RemoteOptions,
  send,
  unexpected,
  withTimeout,
} from './exchange.js';
import type { Identity, Principal } from './port.js';

/** Lifetime of an answer without `exp`, which RFC 7662 makes optional, ms. */
const DEFAULT_LIFETIME_MS = 60_000;

/** Claims with the tenant's id, in order of precedence: ours first, then those of common providers. */
const TENANT_ID = ['tenant_id', 'tenant', 'organization_id', 'organization', 'org_id', 'tid'] as const;

/** Claims with the tenant's name, in order of precedence. */
const TENANT_NAME = ['tenant_name', 'organization_name', 'org_name'] as const;

/** Settings of the introspection adapter. */
export interface OAuth2Options extends RemoteOptions {
  /** The introspection endpoint. */
  readonly url: string;
  /** Client id and client secret of this service. */
  readonly admin: { readonly user: string; readonly password: string };
}

/**
 * Verifies tokens by OAuth 2.0 token introspection (RFC 7662; policy §5, rule 6). The tenant's id is the first non-empty
 * string among `tenant_id`, `tenant`, `organization_id`, `organization`, `org_id`, `tid`; its name is that among
 * `tenant_name`, `organization_name`, `org_name`, or the id. A token without a tenant's id is not valid.
 */
export function oauth2(options: OAuth2Options): Identity {
  const { url, admin, timeoutMs, fetch = globalThis.fetch, now = Date.now } = options;
  const headers = {
    authorization: `Basic ${btoa(`${formEncoded(admin.user)}:${formEncoded(admin.password)}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };

  return {
    async verify(token) {
      if (!isToken(token)) return undefined;
      const body = new URLSearchParams({ token, token_type_hint: 'access_token' }).toString();
      const answer = await withTimeout(timeoutMs, (signal) =>
        send(fetch, { url, method: 'POST', headers, body }, signal),
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
  const json = answerJson(answer);
  if (!isObject(json) || typeof json['active'] !== 'boolean')
    throw malformed('an introspection without `active`');
  if (!json['active']) return undefined;
  const { exp } = json;
  if (exp !== undefined && (typeof exp !== 'number' || !Number.isFinite(exp)))
    throw malformed('`exp` is not a number');
  const expiresAt = exp === undefined ? now + DEFAULT_LIFETIME_MS : exp * 1000;
  return expiresAt > now ? principalOfClaims(json, expiresAt) : undefined;
}

function principalOfClaims(
  claims: Readonly<Record<string, unknown>>,
  expiresAt: number,
): Principal | undefined {
  const id = firstText(claims, TENANT_ID);
  if (id === undefined) return undefined;
  const name = firstText(claims, TENANT_NAME) ?? id;
  return { tenant: { id, name }, user: userOf(claims), expiresAt };
}

/** Encodes an id or secret for a Basic credential: RFC 6749 §2.3.1 requires the form encoding. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
