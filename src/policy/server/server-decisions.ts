import { without } from '../../actors/outbox.js';
import { isPlain } from '../../delivery/form/formats.js';
import { Refusal } from '../../errors.js';
import {
  OWN_LABELS,
  findRule,
  type Rule,
  severityOf,
  withChange,
  withoutRule,
  withRules,
} from '../rules/rule.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { isToAlertmanager } from './alert-changes.js';
import { asKnown, intentOf, tooLate } from './broker-intents.js';
import { checkAgain, SUBSCRIPTIONS_LIMIT } from './broker-leases.js';
import { withOnly } from '../windows/window.js';
import { ending, reconciled } from './reconcile.js';
import { type Change, type EventOf, FORMS_VERSION, type ServerContext } from './server-context.js';
import { resuming, unknownSubscription } from './suppression.js';
import { replanned } from './no-data.js';
import { CUSTOM_METRICS_LIMIT, customMetricsOf, subscribedRulesOf } from './subscribed-rules.js';
import { StateChanges } from './state-changes.js';
import { existingOf, type Subscription, type Wanted } from '../state/subscription.js';

/** Operation 11. */
export function addRules(context: ServerContext, event: EventOf<'addRules'>): Change {
  return { rules: withRules(context.rules, event.rules), outbox: asKnown(context.outbox) };
}

/**
 * Operation 12. Replies with the changed rule. Another condition starts the subscriptions of the rule anew. Throws
 * `Refusal('conflict')` if the server would need too many windows.
 */
export function changeRule(context: ServerContext, event: EventOf<'changeRule'>): Change {
  const { rules, changed } = withChange(context.rules, event.ruleId, event.change);
  refuseTooManyWindows({ ...context, rules }, event.tenant);
  return {
    rules,
    reply: changed,
    ...reconciled({ ...withoutUnused(context, event.tenant), rules }, event),
  };
}

/** Removes the windows that no subscription needs any more: they begin empty if one needs them again. */
function withoutUnused(context: ServerContext, tenant: TenantView): ServerContext {
  const { tracked } = subscribedRulesOf(context, tenant);
  return { ...context, windows: withOnly(context.windows, tracked) };
}

/** Throws `Refusal('conflict')` if the conditions name too many metrics outside the document. */
export function refuseTooManyWindows(
  context: Pick<ServerContext, 'address' | 'subscriptions' | 'rules'>,
  tenant: TenantView,
  name = 'this server',
): void {
  const { all } = subscribedRulesOf(context, tenant);
  const needed = customMetricsOf(all).length;
  if (needed <= CUSTOM_METRICS_LIMIT) return;
  throw new Refusal(
    'conflict',
    `${name} would need windows of ${needed} metrics beside cpu, mem, hdd and net, and can have ${CUSTOM_METRICS_LIMIT}; ` +
      'end subscriptions, or change rules, first',
  );
}

/** Operation 13: removes the rule and ends its subscriptions. */
export function removeRule(context: ServerContext, event: EventOf<'removeRule'>): Change {
  return {
    rules: withoutRule(context.rules, event.ruleId),
    ...ending(context, (one) => one.ruleId === event.ruleId, event.now),
  };
}

/**
 * Operation 15. Replies with the subscription that binds the rule to the url: the new one, or the existing one, which is
 * resumed if it was suspended. Throws `Refusal('unavailable')` if the intent was given up meanwhile.
 */
export function subscribe(context: ServerContext, event: EventOf<'subscribe'>): Change {
  const { subscription, tenant, mark } = event;
  const existing = bound(context, subscription, tenant, event.now);
  if (existing !== undefined) return existing;
  const intent = mark === undefined ? undefined : intentOf(context, mark);
  if (mark !== undefined && intent === undefined) throw tooLate();
  const severity = severityOf(findRule(subscription.ruleId, context.rules, tenant.rules)?.labels);
  const made: Subscription = { ...subscription, at: event.now, ...(severity !== undefined && { severity }) };
  const subscriptions = [...context.subscriptions, made];
  const changed = { ...withoutUnused(context, tenant), subscriptions };
  const subscribed = subscribedRulesOf(changed, tenant);
  return {
    ...(isPlain(made) ? {} : { needsVersion: FORMS_VERSION }),
    subscriptions,
    windows: changed.windows,
    ...replanned(changed, subscribed, new StateChanges(changed, event.now)),
    outbox: asKnown(intent === undefined ? context.outbox : without(context.outbox, intent.id)),
    reply: made,
  };
}

/** Operation 15 before the broker is asked. Replies with the existing subscription, if any, and has its lease checked. */
export function intend(context: ServerContext, event: EventOf<'intend'>): Change {
  const { mark, known, now, wanted, tenant } = event;
  const existing = bound(context, wanted, tenant, now);
  if (existing !== undefined) {
    return {
      ...existing,
      ...checkAgain({ ...context, ...existing }, (existing.reply as Subscription).id, now),
    };
  }
  const { factId, rules, subscriptions } = context;
  // It may have become known since the sender read it.
  const isNow = known || factId > 0 || rules.length > 0 || subscriptions.length > 0;
  return {
    outbox: [...context.outbox, { id: `intend:${mark}`, type: 'intend', mark, at: now, known: isNow }],
  };
}

/**
 * Returns the change for an existing subscription of the rule and the url; undefined if there is none. Throws
 * `Refusal('not-found')` for an unknown rule, `Refusal('too-large')` if the server can have no more subscriptions.
 */
function bound(context: ServerContext, wanted: Wanted, tenant: TenantView, now: number): Change | undefined {
  const rule = findRule(wanted.ruleId, context.rules, tenant.rules);
  if (rule === undefined) throw noSuchRule(wanted.ruleId);
  const same = existingOf(context.subscriptions, wanted);
  if (same?.suspended !== undefined) return resuming(context, same, same.suspended, now);
  if (same !== undefined) return { reply: same };
  if (isToAlertmanager(wanted)) refuseOwnLabels(rule);
  if (context.subscriptions.length < SUBSCRIPTIONS_LIMIT) {
    const wantedToo: Subscription = { ...wanted, id: '', at: now };
    refuseTooManyWindows({ ...context, subscriptions: [...context.subscriptions, wantedToo] }, tenant);
    return undefined;
  }
  throw new Refusal(
    'too-large',
    `a server can have at most ${SUBSCRIPTIONS_LIMIT} subscriptions; end some first`,
  );
}

/** A later change of the labels is not refused: the alert then has the service's own. */
function refuseOwnLabels({ labels = {} }: Rule): void {
  const taken = OWN_LABELS.filter((name) => labels[name] !== undefined);
  if (taken.length === 0) return;
  throw new Refusal(
    'bad-request',
    `ruleId: the rule has the label ${taken.join(', ')}. Alerts at an Alertmanager have ${OWN_LABELS.join(', ')} of the ` +
      'service; give the labels of the rule other names',
  );
}

/** Returns the refusal of a subscription to a rule that neither the server nor its tenant has. */
export function noSuchRule(ruleId: string): Refusal {
  return new Refusal('not-found', `ruleId: neither this server nor its tenant has a rule ${ruleId}`);
}

/** Returns the refusal for a server that does not exist, or that the caller must not see. */
export function unknownServer(serverId: string): Refusal {
  return new Refusal('not-found', `serverId: no server ${serverId} is known`);
}

/** Operation 16. */
export function unsubscribe(context: ServerContext, event: EventOf<'unsubscribe'>): Change {
  if (!context.subscriptions.some((one) => one.id === event.subscriptionId)) {
    throw unknownSubscription(event.subscriptionId);
  }
  return ending(context, (one) => one.id === event.subscriptionId, event.now);
}

/** Removes the messages and transitions that other actors have taken over. */
export function dispatched(context: ServerContext, event: EventOf<'dispatched'>): Change {
  const ids = new Set(event.entryIds);
  return { outbox: context.outbox.filter(({ id }) => !ids.has(id)) };
}
