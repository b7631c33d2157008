import { malformed } from './exchange.js';
import { fieldOf, textOf } from '../untrusted/json.js';
import type { Credentials, Principal } from './port.js';

/** Settings of the two Keystone adapters. */
export interface KeystoneOptions {
  /** Address of the API with its version: `http://host:5000/v2.0` or `http://host:5000/v3`. */
  readonly url: string;
  /** Account of this service. Keystone's policy must allow it to validate the tokens of others. */
  readonly admin: Credentials;
  /** Limit of one `verify` with all its requests. */
  readonly timeoutMs: number;
  readonly fetch?: typeof globalThis.fetch;
  /** ms since the epoch. */
  readonly now?: () => number;
}

/** Settings to check when Keystone refuses the service's own credentials. */
export const ADMIN_SETTINGS = 'IDENTITY_ADMIN_TENANT, IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD';

/**
 * Parses a time of Keystone: ISO 8601 with up to six decimals; without a zone, as in old versions, it is UTC. Returns ms
 * since the epoch. Throws `IdentityUnavailable` for anything else.
 */
export function instantOf(value: unknown): number {
  const text = textOf(value) ?? '';
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(ms)) throw malformed('a token without the time when it ends');
  return ms;
}

/**
 * Returns the principal of a validated token. `tenant` is v2's `tenant` or v3's `project`. undefined if the token has no
 * tenant or is expired. Throws `IdentityUnavailable` for a malformed answer.
 */
export function principalOf(tenant: unknown, expires: unknown, now: number): Principal | undefined {
  const expiresAt = instantOf(expires);
  if (tenant === undefined || tenant === null || expiresAt <= now) return undefined;
  const id = textOf(fieldOf(tenant, 'id'));
  const name = textOf(fieldOf(tenant, 'name'));
  if (id === undefined || name === undefined) throw malformed('a tenant without id or name');
  return { tenant: { id, name }, expiresAt };
}
