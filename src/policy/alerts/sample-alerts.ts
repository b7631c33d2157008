import { compiled } from '../rules/compiled.js';
import type { Rule } from '../rules/rule.js';
import type { NotificationState } from '../state/state-machine.js';
import type { Subscription } from '../state/subscription.js';
import type { Alert } from './alert-messages.js';

/** Returns an alert of each state that a rule can send, as a measurement at `now` would make it. */
export function sampleAlerts(
  rule: Rule,
  subscription: Subscription,
  of: { readonly tenantId: string; readonly serverId: string; readonly now: number },
): readonly Alert[] {
  const { tenantId, serverId, now } = of;
  const condition = compiled(rule.condition);
  const values = Object.fromEntries(condition.comparisons.map(({ metric, value }) => [metric, value]));
  const windows = Object.fromEntries(
    Object.entries(values).map(([metric, value]) => [metric, { values: [value], at: now }]),
  );
  const sample = (state: NotificationState): Alert => ({
    tenantId,
    tenantName: tenantId,
    serverId,
    firedAt: now,
    subscribed: { subscription, rule, condition, index: 0, quiet: [] },
    state,
    since: now,
    measures: state === 'noData' ? {} : values,
    factId: state === 'noData' ? null : 1,
    mask: state === 'firing' ? 2 ** condition.comparisons.length - 1 : 0,
    windows: { tracked: windows },
  });
  return [
    sample('firing'),
    ...(rule.resolve === true ? [sample('resolved')] : []),
    ...(rule.noData === undefined ? [] : [sample('noData')]),
  ];
}
