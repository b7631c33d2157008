import { messageId } from '../../delivery/message-id.js';
import type { EmailMessage, WebhookMessage } from '../../delivery/port.js';
import { conditionText, METRICS } from '../rules/condition.js';
import type { Measures } from '../rules/condition.js';
import { isEmail } from '../rules/rule.js';
import type { EmailAction } from '../rules/rule.js';
import { serverPagePath } from './server-path.js';
import type { SubscribedRule } from './subscribed-rules.js';

/** A subscribed rule whose condition held, with everything that its messages say. */
export interface Firing {
  readonly subscribed: SubscribedRule;
  readonly tenantId: string;
  /** The name of the tenant for people. */
  readonly tenantName: string;
  readonly serverId: string;
  readonly factId: number;
  /** The mean of the window of each metric in the condition. */
  readonly measures: Measures;
  /** ms since the epoch. */
  readonly firedAt: number;
}

/** Identifies a firing. */
export interface FiringKey extends Pick<Firing, 'tenantId' | 'serverId' | 'factId' | 'firedAt'> {
  readonly subscriptionId: string;
}

/** Returns the id of the webhook of a firing: the same at every decision of the fact, and at every attempt. */
export function firingId({ subscriptionId, tenantId, serverId, factId, firedAt }: FiringKey): string {
  return messageId(firedAt, `${tenantId}/${serverId}/${subscriptionId}/${factId}`);
}

/** Returns the POST to the url of the subscription (policy §6). The members of the original come first, then the new ones. */
export function webhookOf(firing: Firing, id: string): WebhookMessage {
  const { subscribed, tenantId, serverId, factId, measures, firedAt } = firing;
  const { rule, subscription } = subscribed;
  const { action } = rule;
  const original = isEmail(action)
    ? { action: 'notifyEmail', serverId, email: action.email, description: action.body }
    : { action: action.operation, serverId };
  const body = JSON.stringify({
    ...original,
    id,
    factId,
    tenantId,
    ruleId: rule.ruleId,
    ruleName: rule.name,
    actionName: action.actionName,
    subscriptionId: subscription.id,
    measures,
    condition: rule.condition,
    firedAt: new Date(firedAt).toISOString(),
  });
  return { channel: 'webhook', url: subscription.url, body };
}

/** Returns the e-mail of a firing. `quiet` is the number of firings since the last e-mail. */
export function emailOf(firing: Firing, action: EmailAction, quiet: number, publicUrl: string): EmailMessage {
  const { subscribed, tenantId, tenantName, serverId, factId, measures, firedAt } = firing;
  const { rule } = subscribed;
  const means = METRICS.flatMap((metric) => {
    const value = measures[metric];
    return value === undefined ? [] : [[`Mean of ${metric}`, `${Number(value.toFixed(3))} %`] as const];
  });
  const count =
    quiet > 0 ? [['Firings', `${quiet + 1} since the last e-mail, this one included`] as const] : [];
  return {
    channel: 'email',
    to: action.email,
    subject: `${rule.name} on ${serverId}`,
    body: action.body,
    facts: [
      ['Server', serverId],
      ['Tenant', tenantName],
      ['Rule', rule.name],
      ['Condition', conditionText(rule.condition)],
      ...means,
      ['When', new Date(firedAt).toISOString()],
      ['Fact', String(factId)],
      ...count,
      ['Where to look', `${publicUrl}${serverPagePath(tenantId, serverId)}`],
    ],
  };
}
