import { findRule, severityOf } from '../rules/rule.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { withOnly } from '../windows/window.js';
import { withAlertNotices } from './alert-changes.js';
import { endOfLease, withEnded } from './broker-leases.js';
import { currentWindows } from './evaluate.js';
import type { Change, ServerContext } from './server-context.js';
import { replanned } from './no-data.js';
import { subscribedRulesOf } from './subscribed-rules.js';
import { wakeTime } from './wake.js';
import { StateChanges } from './state-changes.js';
import type { Subscription } from '../state/subscription.js';

/**
 * Compares the subscriptions with their rules: another condition starts a subscription anew, another `noData` changes when
 * it is woken, and one without a rule ends. `tenant` is the tenant now; `now` is in ms since the epoch.
 */
export function reconciled(
  context: ServerContext,
  { tenant, now }: { readonly tenant: TenantView; readonly now: number },
): Change {
  const end = ending(
    context,
    ({ ruleId }) => findRule(ruleId, context.rules, tenant.rules) === undefined,
    now,
  );
  const graded = withSeverities({ ...context, ...end }, tenant);
  const kept = { ...context, ...end, ...graded };
  // The rule of an alert may have another name, or other labels.
  const outbox = withAlertNotices(kept, kept.subscriptions, now);
  const left = { ...kept, outbox };
  const stateChanges = new StateChanges(left, now);
  const subscribed = subscribedRulesOf(left, tenant);
  const windows = withOnly(left.windows, subscribed.tracked);
  const present = { windows: currentWindows({ ...left, windows }, tenant), size: tenant.window.size };
  for (const one of subscribed.all) stateChanges.startAnewIfChanged(one, present);
  const change = { ...end, ...graded, outbox, windows, ...stateChanges.change(outbox) };
  return { ...change, ...replanned({ ...context, ...change }, subscribed, stateChanges) };
}

/** Gives subscriptions the severity of their rules, of which only a change of the labels makes another. */
function withSeverities(
  { subscriptions, rules }: Pick<ServerContext, 'subscriptions' | 'rules'>,
  tenant: TenantView,
): Change {
  const graded = subscriptions.map((one) => {
    const severity = severityOf(findRule(one.ruleId, rules, tenant.rules)?.labels);
    return one.severity === severity ? one : { ...one, severity };
  });
  return graded.every((one, i) => one === subscriptions[i]) ? {} : { subscriptions: graded };
}

/** Ends some subscriptions, at the broker too. `now`: ms since the epoch. */
export function ending(
  context: ServerContext,
  ends: (subscription: Subscription) => boolean,
  now: number,
): Change {
  const ended = context.subscriptions.filter(ends);
  if (ended.length === 0) return {};
  const subscriptions = context.subscriptions.filter((one) => !ended.includes(one));
  const states = context.states.filter((_, i) => !ended.includes(context.subscriptions[i]!));
  const brokerIds = ended.flatMap((one) => (one.broker === undefined ? [] : [one.broker.id]));
  return {
    subscriptions,
    wakeAt: wakeTime({ ...context, subscriptions }),
    mail: withoutThose(context.mail, ended),
    newest: context.newest && withoutThose(context.newest, ended),
    unsent: context.unsent && withoutThose(context.unsent, ended),
    states,
    outbox: [
      ...withAlertNotices(context, ended, now).filter(
        (entry) => entry.type !== 'renew' || !ended.some((one) => one.id === entry.subscriptionId),
      ),
      ...brokerIds.map(endOfLease),
    ],
    ended: withEnded(context, brokerIds),
  };
}

/** Removes the values of ended subscriptions. */
function withoutThose<T>(
  byId: Readonly<Record<string, T>>,
  ended: readonly Subscription[],
): Record<string, T> {
  return Object.fromEntries(Object.entries(byId).filter(([id]) => !ended.some((one) => one.id === id)));
}
