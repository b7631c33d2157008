import { textOf } from '../untrusted/json.js';

/** Members of a token, or of its introspection, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** Claims with the user's name, in order of precedence: that of RFC 7662, then those of OpenID Connect. */
const USER_NAME = ['username', 'preferred_username', 'name', 'email', 'sub'] as const;

/** Returns the first non-empty string among some claims. */
export function firstText(claims: Claims, names: readonly string[]): string | undefined {
  return names.map((name) => textOf(claims[name])).find((text) => text !== undefined);
}

/** Returns the name of the token's user; undefined if no claim has it. */
export function userOf(claims: Claims): string | undefined {
  return firstText(claims, USER_NAME);
}
