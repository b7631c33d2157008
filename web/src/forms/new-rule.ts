import { ApiError, send } from '../api.js';
import { type MessageFormDraft, messageFormBody, namesReceiver } from './message-form-draft.js';
import { policyPath, rulePath, subscriptionPath } from './policy-paths.js';
import type { RuleBody } from './rule-draft.js';

/** Ids that paths of the policy API take. */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:~-]{1,256}$/;
/** The beginning of a url that webhooks can go to. */
const WEB = /^https?:\/\/[^/]/i;

/** A rule of a server, and where its messages go. */
interface NewRule {
  readonly tenantId: string;
  readonly serverId: string;
  readonly receiver: MessageFormDraft;
}

/**
 * Throws an `ApiError` with all that is wrong in the form of a new server, if its id cannot be, or its rule would never be
 * evaluated: nothing is sent then that would name the problems of the rule.
 */
export async function refuseNewServer(
  { tenantId, serverId, receiver }: NewRule,
  rule: RuleBody,
): Promise<void> {
  const url = receiver.url.trim();
  const problems = [
    ...(ID.test(serverId)
      ? []
      : ['serverId: must be 1 to 256 letters without accents, digits, and any of “_ . : ~ -”']),
    ...(url === '' ? ['url: must be the address of a receiver: without one the rule is not evaluated'] : []),
    ...(url === '' || WEB.test(url) ? [] : ['url: must begin with http:// or https:// and a host']),
  ];
  if (problems.length === 0) return;
  throw new ApiError([...problems, ...(await problemsOfRule(tenantId, rule))].join('; '), 400);
}

/** Returns what the service says of a rule without saving it: a backtest of no measurements checks it. */
async function problemsOfRule(tenantId: string, rule: RuleBody): Promise<readonly string[]> {
  try {
    await send('POST', policyPath(tenantId, 'rules', 'backtest'), { rule, facts: [] });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) return [];
    return [error.message.replaceAll(/(^|; )rule\./g, '$1')];
  }
}

/**
 * Creates a rule of a server, and a subscription to it if a receiver is named. If the subscription is refused, the rule is
 * deleted again. Throws an `ApiError`.
 */
export async function createSubscribed(
  { tenantId, serverId, receiver }: NewRule,
  rule: RuleBody,
): Promise<void> {
  const { ruleId } = await send<{ readonly ruleId: string }>('POST', rulePath(tenantId, serverId), rule);
  if (!namesReceiver(receiver)) return;
  try {
    await send('POST', subscriptionPath(tenantId, serverId), {
      ruleId,
      ...messageFormBody(receiver),
    });
  } catch (error) {
    // Without an answer the subscription may be there.
    if (error instanceof ApiError && error.status > 0)
      await send('DELETE', rulePath(tenantId, serverId, ruleId));
    throw error;
  }
}
