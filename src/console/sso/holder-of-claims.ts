import { type Claims, userOf } from '../../identity/claims.js';
import { isUsableTenant } from '../../policy/tenant/tenants.js';
import { fieldOf } from '../../untrusted/json.js';
import { oneLine, quoted } from '../../untrusted/text.js';
import type { SsoHolder } from '../sessions.js';

/** Longest name of a person, characters. */
const LONGEST_NAME = 120;

/** How the claims of a person become tenant or operator. */
export interface ClaimRules {
  /** Claim with the tenant, or a list of tenants. A dot leads into an object, as in `realm_access.roles`. */
  readonly tenantClaim: string;
  /** Who has the value in the claim is an operator. undefined: nobody. */
  readonly operator: { readonly claim: string; readonly value: string } | undefined;
  /** Returns the tenant that a value of the claim names. */
  readonly tenantOf: (value: string) => { readonly id: string; readonly name: string };
}

/** A holder of a session; or tenants to choose one from; or why there is neither. */
export type Entry =
  | { readonly holder: SsoHolder }
  | { readonly tenants: readonly string[] }
  | { readonly problem: string };

/**
 * Returns how somebody with these claims enters. `wanted` is the tenant that was asked for, '' for none: an operator then
 * enters as one, and a person of one tenant as that tenant.
 */
export function entryOf(claims: Claims, rules: ClaimRules, wanted: string): Entry {
  const user = nameIn(claims);
  const { tenantClaim, operator, tenantOf } = rules;
  const isOperator = operator !== undefined && textsAt(claims, operator.claim).includes(operator.value);
  if (isOperator && wanted === '') return { holder: { kind: 'operator', user } };

  const named = textsAt(claims, tenantClaim);
  const tenants = [...new Set(named)].filter(isUsableTenant);
  const asTenant = (name: string): Entry => ({
    holder: { kind: 'tenant', principal: { tenant: tenantOf(name), user } },
  });
  const who = user === undefined ? 'This account' : `The account ${quoted(user)}`;
  if (wanted !== '') {
    if (tenants.includes(wanted)) return asTenant(wanted);
    return {
      problem: `${who} is not of the tenant ${quoted(wanted)} at the OpenID provider. Log in as another one.`,
    };
  }
  const [first, ...others] = tenants;
  if (first === undefined) return { problem: noTenant(who, tenantClaim, named) };
  return others.length === 0 ? asTenant(first) : { tenants };
}

/** Returns true if claims have all that `entryOf` looks for. */
export function hasRuledClaims(claims: Claims, { tenantClaim, operator }: ClaimRules): boolean {
  const wanted = operator === undefined ? [tenantClaim] : [tenantClaim, operator.claim];
  return wanted.every((claim) => valueAt(claims, claim) !== undefined);
}

function noTenant(who: string, claim: string, named: readonly string[]): string {
  const ask = 'Ask the administrator of the provider';
  return named.length === 0
    ? `${who} has no tenant: its claim ${quoted(claim)} is missing or empty. ${ask} for it.`
    : `${who} has no tenant that can be used here: ${quoted(named[0]!)} in the claim ${quoted(claim)} is not 1 to 256 printable ASCII characters without blanks and slashes. ${ask} to change it.`;
}

/** Returns the texts of a claim: one, or those of a list. */
function textsAt(claims: Claims, claim: string): readonly string[] {
  const value = valueAt(claims, claim);
  return [value].flat().filter((text): text is string => typeof text === 'string' && text !== '');
}

/** A claim of this very name comes first: names may be urls, with dots. */
function valueAt(claims: Claims, claim: string): unknown {
  return Object.hasOwn(claims, claim) ? claims[claim] : fieldOf(claims, ...claim.split('.'));
}

function nameIn(claims: Claims): string | undefined {
  const name = oneLine(userOf(claims) ?? '', LONGEST_NAME);
  return name === '' ? undefined : name;
}
