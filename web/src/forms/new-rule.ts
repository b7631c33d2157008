import { ApiError, send } from '../api.js';
import { rulePath, subscriptionPath } from './policy-paths.js';
import type { RuleBody } from './rule-draft.js';

/** Ids that paths of the policy API take. */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:~-]{1,256}$/;

/** Throws an `ApiError` for a server that cannot be, or whose rule would never be evaluated. */
export function refuseNewServer(id: string, url: string): void {
  const problems = [
    ...(ID.test(id)
      ? []
      : ['serverId: must be 1 to 256 letters without accents, digits, and any of “_ . : ~ -”']),
    ...(url.trim() === ''
      ? ['url: must be the address of a receiver: without one the rule is not evaluated']
      : []),
  ];
  if (problems.length > 0) throw new ApiError(problems.join('; '), 400);
}

/**
 * Creates a rule of a server, and a subscription to it unless `url` is empty. If the subscription is refused, the rule is
 * deleted again. Throws an `ApiError`.
 */
export async function createSubscribed(
  { tenantId, serverId, url }: { readonly tenantId: string; readonly serverId: string; readonly url: string },
  rule: RuleBody,
): Promise<void> {
  const { ruleId } = await send<{ readonly ruleId: string }>('POST', rulePath(tenantId, serverId), rule);
  if (url === '') return;
  try {
    await send('POST', subscriptionPath(tenantId, serverId), { ruleId, url });
  } catch (error) {
    // Without an answer the subscription may be there.
    if (error instanceof ApiError && error.status > 0)
      await send('DELETE', rulePath(tenantId, serverId, ruleId));
    throw error;
  }
}
