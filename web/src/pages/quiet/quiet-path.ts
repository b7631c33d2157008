import { policyPath } from '../../forms/policy-paths.js';
import { isOperator } from '../../session.js';

/** The path of a quiet time: operators make and delete theirs at their own. */
export function quietPath(tenant: string, name: string): string {
  if (!isOperator.value) return policyPath(tenant, 'quiet', name);
  return `/operator/tenants/${encodeURIComponent(tenant)}/quiet/${encodeURIComponent(name)}`;
}
