import { formOf } from '../../delivery/form/formats.js';
import type { WebhookMessage } from '../../delivery/port.js';
import { hasMessageState, isEmail } from '../rules/rule.js';
import type { Alert } from './alert-messages.js';
import { wordsOf } from './message-words.js';

/**
 * Returns the POST to the url of the subscription (policy §6). The members of the original come first, then the new ones.
 * `publicUrl`: the address of the service for people.
 */
export function webhookOf(alert: Alert, id: string, publicUrl: string): WebhookMessage {
  const { subscribed, tenantId, serverId, factId, measures, firedAt, state, since } = alert;
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
    ...(hasMessageState(rule)
      ? { state, since: since === undefined ? null : new Date(since).toISOString() }
      : {}),
  });
  const { url, format } = subscription;
  const words = format === 'template' ? { words: wordsOf(alert, publicUrl) } : {};
  return { channel: 'webhook', url, body, ...formOf(subscription), ...words };
}
