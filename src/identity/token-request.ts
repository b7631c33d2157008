import { Refusal } from '../errors.js';
import { fieldOf, textOf } from '../untrusted/json.js';

/** Who asks for a token of which tenant, from the body of POST {auth_url}/tokens (policy §5, rule 2). */
export interface TokenRequest {
  readonly tenant: string;
  readonly user: string;
  readonly password: string;
}

/**
 * Reads parsed JSON as a token request; other members than the three are ignored, as Keystone does. Throws
 * `Refusal('bad-request')` naming every member that is missing or no string, never its value.
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
