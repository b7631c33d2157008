import { ownPath } from '../../api-paths.js';
import { isOperator } from '../../session.js';

/** The path of a quiet time: operators make and delete theirs at their own. */
export function quietPath(tenant: string, name: string): string {
  return isOperator.value ? ownPath('tenants', tenant, 'quiet', name) : ownPath('quiet', name);
}
