import { malformed } from './ask.js';
import { fieldOf, textOf } from '../untrusted/json.js';
import type { Principal } from './port.js';

/** What the two Keystone adapters are given. */
export interface KeystoneOptions {
  /** The API's address, its version included: `http://host:5000/v2.0` or `http://host:5000/v3`. */
  readonly url: string;
  /** Who the service is there. Keystone's policy must allow this user to validate tokens of others. */
  readonly admin: { readonly tenant: string; readonly user: string; readonly password: string };
  /** For one `verify`, however many requests it takes. */
  readonly timeoutMs: number;
  readonly fetch?: typeof globalThis.fetch;
  /** ms since the epoch. */
  readonly now?: () => number;
}

/** The settings to look at when Keystone refuses the service's own credentials. */
export const ADMIN_SETTINGS = 'IDENTITY_ADMIN_TENANT, IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD';

/**
 * Keystone's times, in ms since the epoch: ISO 8601 with up to six decimals, and in old versions without a zone, which
 * means UTC. Throws `IdentityUnavailable` for anything else.
 */
export function instantOf(value: unknown): number {
  const text = textOf(value) ?? '';
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(ms)) throw malformed('a token without the time when it ends');
  return ms;
}

/**
 * The principal of a validated token; `tenant` is v2's `tenant` or v3's `project`, undefined for a token with no such
 * scope. Undefined when there is none or the token is over. Throws `IdentityUnavailable` for a malformed answer.
 */
export function principalOf(tenant: unknown, expires: unknown, now: number): Principal | undefined {
  const expiresAt = instantOf(expires);
  if (tenant === undefined || tenant === null || expiresAt <= now) return undefined;
  const id = textOf(fieldOf(tenant, 'id'));
  const name = textOf(fieldOf(tenant, 'name'));
  if (id === undefined || name === undefined) throw malformed('a tenant without id or name');
  return { tenant: { id, name }, expiresAt };
}
