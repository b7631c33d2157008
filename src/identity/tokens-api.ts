import { Refusal } from '../errors.js';
import { fieldOf, textOf } from '../untrusted/json.js';
import type { Credentials } from './port.js';
import { isoOf } from '../system/iso.js';

/**
 * Reads the credentials in the body of POST {auth_url}/tokens (policy §5, rule 2), which is parsed JSON. Ignores other
 * members, as Keystone does. Throws `Refusal('bad-request')` that names each member that is missing or not a string,
 * without its value.
 */
export function tokenRequestOf(body: unknown): Credentials {
  const missing: string[] = [];
  const text = (...path: string[]): string => {
    const value = textOf(fieldOf(body, ...path));
    if (value === undefined) missing.push(path.join('.'));
    return value ?? '';
  };
  const tenant = text('auth', 'tenantName');
  const user = text('auth', 'passwordCredentials', 'username');
  const password = text('auth', 'passwordCredentials', 'password');
  if (missing.length > 0) {
    throw new Refusal('bad-request', `The body must have a non-empty string in ${missing.join(', ')}.`);
  }
  return { tenant, user, password };
}

/** A token as it was issued. */
export interface IssuedToken {
  readonly id: string;
  readonly auditId: string;
  /** ms since the epoch. */
  readonly issuedAt: number;
  /** s since the epoch. */
  readonly expiresAt: number;
}

/** Returns the answer of POST {auth_url}/tokens (policy §5, rule 3), with the members of Keystone's API v2.0. */
export function tokenResponse(
  { id, auditId, issuedAt, expiresAt }: IssuedToken,
  account: Omit<Credentials, 'password'> & { readonly tenantId: string; readonly userId: string },
) {
  return {
    access: {
      token: {
        id,
        expires: isoOf(expiresAt * 1000).replace('.000Z', 'Z'),
        issued_at: isoOf(issuedAt),
        tenant: { description: '', enabled: true, id: account.tenantId, name: account.tenant },
        audit_ids: [auditId],
      },
      // The embedded identity has no services.
      serviceCatalog: [],
      user: {
        id: account.userId,
        name: account.user,
        username: account.user,
        roles: [{ name: '_member_' }],
        roles_links: [],
      },
      metadata: { is_admin: 0, roles: [] },
    },
  };
}

/** Answer of POST {auth_url}/tokens. */
export type TokenResponse = ReturnType<typeof tokenResponse>;
