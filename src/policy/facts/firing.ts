import { createHash } from 'node:crypto';
import type { EmailMessage, WebhookMessage } from '../../delivery/port.js';
import { conditionText } from '../rules/condition.js';
import type { Watch } from '../lookup.js';
import { METRICS, isEmail } from '../rules/rule.js';
import type { EmailAction } from '../rules/rule.js';
import { serverPath } from '../http/server-path.js';
import type { Measures } from '../server/window.js';

/** A rule that held: everything its messages say. */
export interface Firing {
  readonly watch: Watch;
  readonly tenantId: string;
  /** What people call the tenant. */
  readonly tenantName: string;
  readonly serverId: string;
  readonly factId: number;
  /** Each metric of the condition with the mean of its window. */
  readonly measures: Measures;
  /** ms since the epoch. */
  readonly firedAt: number;
}

/** The id of a firing's webhook: one per subscription and fact, however often it is decided or sent. */
export function firingId(firing: Firing): string {
  const { watch, tenantId, serverId, factId } = firing;
  const name = `${tenantId}/${serverId}/${watch.subscription.id}/${factId}`;
  return `msg_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/** The POST of a firing, under its id, to the subscription's url (policy §6): the original's members first, then ours. */
export function webhookOf(firing: Firing, id: string): WebhookMessage {
  const { watch, tenantId, serverId, factId, measures, firedAt } = firing;
  const { rule, subscription } = watch;
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

/** The e-mail of a firing; `quiet` is the number of firings before it that sent none. */
export function emailOf(firing: Firing, action: EmailAction, quiet: number, publicUrl: string): EmailMessage {
  const { watch, tenantId, tenantName, serverId, factId, measures, firedAt } = firing;
  const { rule } = watch;
  const measured = METRICS.flatMap((metric) => {
    const value = measures[metric];
    return value === undefined ? [] : [[`Mean of ${metric}`, `${Number(value.toFixed(3))} %`] as const];
  });
  const stands =
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
      ...measured,
      ['When', new Date(firedAt).toISOString()],
      ['Fact', String(factId)],
      ...stands,
      ['Where to look', `${publicUrl}${serverPath(tenantId, serverId)}/`],
    ],
  };
}
