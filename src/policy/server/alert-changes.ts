import type { Address } from '../../store/port.js';
import { alertId } from '../alerts/alert-messages.js';
import { isEmail, type RuleOptions } from '../rules/rule.js';
import {
  reportedSince,
  type SentFiring,
  stateFrom,
  type SubscriptionState,
  type SubscriptionStates,
} from '../state/subscription-state.js';
import type { SubscribedRule, Subscription } from '../state/subscription.js';
import type { AlertEffect, BegunAlert, ServerContext, ServerEffect } from './server-context.js';

// A subscription to an Alertmanager has an actor (src/policy/alertmanager) that sends its alert again and again. An entry of type
// `alert` in the outbox of the server is a notice to this actor: the subscription has changed.

/** True for a subscription that sends alerts to an Alertmanager. */
export function isToAlertmanager({ format }: Pick<Subscription, 'format'>): boolean {
  return format === 'alertmanager';
}

/**
 * Returns the options that decide when a subscription notifies. An Alertmanager gets the beginning and the end of each period,
 * whatever the rule says: each period fires once. An alert whose end does not arrive expires. The mails of a rule follow the
 * rule.
 */
export function notifyingOptions({ subscription, rule }: SubscribedRule): RuleOptions {
  if (!isToAlertmanager(subscription) || isEmail(rule.action)) return rule;
  return { ...rule, repeat: 0, resolve: false };
}

/** Returns the notice of a change of state to the alert of a subscription; undefined if its alert stays as it is. */
export function alertChange(
  { subscription, rule }: SubscribedRule,
  before: SubscriptionState,
  after: SubscriptionState,
  { now, address }: { readonly now: number; readonly address: Address },
): AlertEffect | undefined {
  if (!isToAlertmanager(subscription)) return undefined;
  const since = reportedSince(after);
  if (since === reportedSince(before)) return undefined;
  const first = after.reported?.firings[0];
  const isNew = since !== undefined && first !== undefined && first !== before.reported?.firings[0];
  if (!isNew) return notice(subscription, now);
  const deliveryId = deliveryOfPeriod(address, subscription.id, first);
  return notice(subscription, now, [{ ruleId: rule.ruleId, factId: first.factId, deliveryId }]);
}

/** Returns the id of the delivery of the messages about a period. `first`: the first firing of it that was sent. */
export function deliveryOfPeriod(
  { tenant: tenantId, name: serverId }: Address,
  subscriptionId: string,
  { at: firedAt, factId }: SentFiring,
): string {
  return alertId({ tenantId, serverId, subscriptionId, factId, firedAt });
}

/** Returns the outbox with a notice to each alert of some subscriptions that fires: it ends, or may look different. */
export function withAlertNotices(
  { subscriptions, states, outbox }: Pick<ServerContext, 'subscriptions' | 'states' | 'outbox'>,
  some: readonly Subscription[],
  now: number,
): ServerContext['outbox'] {
  const firing = some.filter((one) => isToAlertmanager(one) && isFiring(states, subscriptions.indexOf(one)));
  return withNotices(
    outbox,
    firing.map((one) => notice(one, now)),
  );
}

/** Returns the outbox with these notices. Each replaces an earlier one to the same alert. */
export function withNotices(
  outbox: readonly ServerEffect[],
  entries: readonly AlertEffect[],
): readonly ServerEffect[] {
  if (entries.length === 0) return outbox;
  const ids = new Set(entries.map(({ id }) => id));
  return [...outbox.filter(({ id }) => !ids.has(id)), ...entries];
}

function notice(
  { id: subscriptionId }: Subscription,
  at: number,
  firings?: readonly BegunAlert[],
): AlertEffect {
  const entry: AlertEffect = { id: `alert:${subscriptionId}`, type: 'alert', subscriptionId, at };
  return firings === undefined ? entry : { ...entry, firings };
}

function isFiring(states: SubscriptionStates, index: number): boolean {
  const current = stateFrom(states[index]);
  return current !== undefined && reportedSince(current) !== undefined;
}
