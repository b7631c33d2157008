import { textOf } from '../untrusted/json.js';
import type { Principal } from './port.js';

/** Claims that may hold a tenant's id, the first that is there counts: ours, then those of widespread providers. */
const TENANT_ID = ['tenant_id', 'tenant', 'organization_id', 'organization', 'org_id', 'tid'] as const;

/** Claims that may hold its name. */
const TENANT_NAME = ['tenant_name', 'organization_name', 'org_name'] as const;

/**
 * The principal of an introspection's members. The tenant's id is the first non-empty string
 * among `tenant_id`, `tenant`, `organization_id`, `organization`, `org_id`, `tid`; its name among `tenant_name`,
 * `organization_name`, `org_name`, else the id. Undefined when no tenant is named.
 */
export function principalOfClaims(
  claims: Readonly<Record<string, unknown>>,
  expiresAt: number,
): Principal | undefined {
  const id = firstText(claims, TENANT_ID);
  if (id === undefined) return undefined;
  return { tenant: { id, name: firstText(claims, TENANT_NAME) ?? id }, expiresAt };
}

function firstText(claims: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textOf(claims[name]);
    if (text !== undefined) return text;
  }
  return undefined;
}
