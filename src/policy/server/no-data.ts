import { isOfDocument } from '../rules/metrics.js';
import { stateFrom } from '../state/subscription-state.js';
import { arrivalOf, type Windows } from '../windows/window.js';
import type { ServerContext } from './server-context.js';
import type { SubscribedRules } from './subscribed-rules.js';
import { earliest } from './broker-leases.js';
import { wakeTime } from './wake.js';
import type { StateChanges } from './state-changes.js';
import { currentMute, type Subscription, type SubscribedRule } from '../state/subscription.js';
import type { Notification } from '../alerts/alert-messages.js';

const NOTHING: readonly Notification[] = [];

/** Applies the no-data timeouts that are over, at most `max` of them. Returns their notifications. */
export function timeOutAll(
  { withNoData }: Pick<SubscribedRules, 'withNoData'>,
  stateChanges: StateChanges,
  windows: Windows,
  now: number,
  max = Infinity,
): readonly Notification[] {
  if (withNoData.length === 0) return NOTHING;
  const notifications: Notification[] = [];
  for (const subscribed of withNoData) {
    if (notifications.length === max) break;
    const due = timeoutAt(subscribed, stateChanges, windows);
    if (due === undefined || due > now) continue;
    notifications.push(stateChanges.timeOut(subscribed, lastMeasurement(subscribed, windows), due, windows));
  }
  return notifications;
}

/** Returns when the next no-data timeout is over, ms since the epoch; undefined if none is. */
export function earliestTimeout(
  withNoData: readonly SubscribedRule[],
  stateChanges: StateChanges,
  windows: Windows,
): number | undefined {
  return earliest(withNoData.map((subscribed) => timeoutAt(subscribed, stateChanges, windows)));
}

/**
 * Returns the change that wakes the server at `due` at the latest. An earlier time stays: it is compared again then, and
 * every fact would move it.
 */
export function timeoutPlanned(context: ServerContext, due: number | undefined): Partial<ServerContext> {
  const { noDataAt } = context;
  if (due === undefined || (noDataAt !== undefined && noDataAt <= due)) return {};
  const wakeAt = Math.min(context.wakeAt ?? Infinity, due);
  return { noDataAt: due, wakeAt };
}

/**
 * Returns the change that wakes the server for a suppressed `noData` at the end of the mute; empty if there is none. Called
 * when the mute or the suspension of a subscription has changed.
 */
export function wakeForUnsent(
  context: ServerContext,
  { id, mutedUntil }: Subscription,
  now: number,
): Partial<ServerContext> {
  const index = context.subscriptions.findIndex((one) => one.id === id);
  if (stateFrom(context.states[index])?.noDataUnsent !== true) return {};
  return timeoutPlanned(context, Math.max(now, mutedUntil ?? 0));
}

/** Returns the change of a server whose subscriptions or rules are others. */
export function replanned(
  context: ServerContext,
  { withNoData }: SubscribedRules,
  stateChanges: StateChanges,
): Partial<ServerContext> {
  const noDataAt = earliestTimeout(withNoData, stateChanges, context.windows);
  return { noDataAt, wakeAt: wakeTime({ ...context, noDataAt }) };
}

/**
 * Returns when the no-data timeout of a subscription is over if no measurement comes, ms since the epoch; undefined: never.
 * What was not sent is due at the end of the mute, and not while the subscription is suspended.
 */
function timeoutAt(
  subscribed: SubscribedRule,
  stateChanges: StateChanges,
  windows: Windows,
): number | undefined {
  const { rule, subscription } = subscribed;
  if (rule.noData === undefined) return undefined;
  const last = lastMeasurement(subscribed, windows);
  const due = (last === 0 ? subscription.at : last) + rule.noData * 1000;
  const current = stateFrom(stateChanges.of(subscribed));
  if (current === undefined || (current.noDataFrom ?? current.noDataSince) !== last) return due;
  if (current.noDataUnsent !== true || subscription.suspended !== undefined) return undefined;
  return Math.max(due, subscription.mutedUntil ?? 0, currentMute(subscribed, stateChanges.now)?.until ?? 0);
}

/**
 * Returns when the last measurement came that `noData` counts for a subscription, ms since the epoch; 0 if none did. Of
 * metrics outside the document those from before the subscription do not count.
 */
function lastMeasurement({ condition, subscription }: SubscribedRule, windows: Windows): number {
  let last = 0;
  for (const metric of condition.metrics) {
    const { at } = arrivalOf(windows, metric);
    if (at > last && (isOfDocument(metric) || at >= subscription.at)) last = at;
  }
  return last;
}
