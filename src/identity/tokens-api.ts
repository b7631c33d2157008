import { Refusal } from '../errors.js';
import { fieldOf, textOf } from '../untrusted/json.js';

/** Credentials in the body of POST {auth_url}/tokens (policy §5, rule 2). */
export interface TokenRequest {
  readonly tenant: string;
  readonly user: string;
  readonly password: string;
}

/**
 * Reads a token request from parsed JSON. Ignores other members, as Keystone does. Throws `Refusal('bad-request')` that
 * names each member that is missing or not a string, without its value.
 */
export function tokenRequestOf(body: unknown): TokenRequest {
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

/** Answer of POST {auth_url}/tokens (policy §5, rule 3), with the members of Keystone's API v2.0. */
export interface TokenResponse {
  readonly access: {
    readonly token: {
      readonly id: string;
      /** ISO 8601, UTC, whole seconds. */
      readonly expires: string;
      /** ISO 8601, UTC. */
      readonly issued_at: string;
      readonly tenant: {
        readonly description: string;
        readonly enabled: true;
        readonly id: string;
        readonly name: string;
      };
      readonly audit_ids: readonly string[];
    };
    /** Empty: the embedded identity has no services. */
    readonly serviceCatalog: readonly never[];
    readonly user: {
      readonly id: string;
      readonly name: string;
      readonly username: string;
      readonly roles: readonly { readonly name: string }[];
      readonly roles_links: readonly never[];
    };
    readonly metadata: { readonly is_admin: 0; readonly roles: readonly string[] };
  };
}
