import type { SourceName } from '../facts/facts.js';
import { type Measures, type Metric, ofMetric } from '../rules/metrics.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { Results, isReady, type Present } from '../windows/results.js';
import {
  isOutdated,
  type Measurement,
  shrink,
  smallestSince,
  type Values,
  windowOf,
  type Windows,
  withUntracked,
} from '../windows/window.js';
import type { CountedTimes } from '../windows/counted-times.js';
import { settled, slide, slideAll, sliding } from '../windows/slide.js';
import type { ServerContext } from './server-context.js';
import { timeOutAll } from './no-data.js';
import { type SubscribedRules, subscribedRulesOf } from './subscribed-rules.js';
import { StateChanges } from './state-changes.js';
import type { SubscribedRule } from '../state/subscription.js';
import type { Notification } from '../alerts/alert-messages.js';

/** Measurements of one request. */
export interface Measured {
  /** In the order of their numbers. */
  readonly measurements: readonly Measurement[];
  /** ms since the epoch. */
  readonly now: number;
  readonly tenant: TenantView;
  readonly origin?: SourceName | undefined;
  /** The counted times of the server after these measurements; undefined: unchanged. */
  readonly counted?: CountedTimes | undefined;
}

const NONE: readonly Notification[] = [];
const NO_MEASUREMENTS: readonly Measurement[] = [];

/** Maximum number of measurements, and of values of a window, for which copied windows are faster than sliding ones. */
const FEW_MEASUREMENTS = 16;
const FEW_VALUES = 64;

/**
 * Applies the no-data timeouts that are over. Then numbers each measurement, adds it to the windows, and evaluates the rules that
 * use its metrics: for a group of measurements once, after the last of them. Returns the changes of the server, without messages.
 * `rules`: the subscribed rules of the server; `evaluations`: the number of evaluations. Pure. `gapMs`: pause that empties a window,
 * ms; 0: never.
 */
export function evaluate(context: ServerContext, measured: Measured, gapMs: number) {
  const { now, tenant } = measured;
  const { size } = tenant.window;
  const rules = subscribedRulesOf(context, tenant);
  const stateChanges = new StateChanges(context, now, measured.origin);
  const current = currentWindows(context, tenant);
  const isCut = current !== context.windows;
  let notifications: Notification[] | undefined;
  const timedOut = timeOutAll(rules, stateChanges, current, now);
  if (timedOut.length > 0) notifications = [...timedOut];
  let { factId } = context;
  let evaluations = 0;
  const isLong = measured.measurements.length > FEW_MEASUREMENTS && size > FEW_VALUES;
  let slid: Windows<Values> = isLong ? sliding(current, rules.tracked) : current;
  const isSubscribed = rules.all.length > 0;
  const all = isSubscribed ? measured.measurements : NO_MEASUREMENTS;
  if (!isSubscribed) {
    slid = slideAll(slid, measured.measurements, now, { size, gapMs, tracked: rules.tracked });
    factId += measured.measurements.length;
  }
  /** The windows before the measurements that are evaluated next, and the index of the first of these. */
  let before = slid;
  let first = 0;
  for (let i = 0; i < all.length; i += 1) {
    factId += 1;
    const measurement = all[i]!;
    slid = slide(slid, measurement, now, { size, gapMs, tracked: rules.tracked });
    if (measurement.group !== undefined && measurement.group === all[i + 1]?.group) continue;
    const others = first === i ? NO_MEASUREMENTS : all.slice(first, i);
    const present: Present = { windows: slid, size };
    const results = new Results(slid);
    const emptied = emptiedOf(rules, before, now, gapMs);
    for (const subscribed of rules.all) {
      const { condition } = subscribed;
      stateChanges.startAnewIfChanged(subscribed, present);
      const isMeasured =
        measures(subscribed, measurement.measures) ||
        others.some((one) => measures(subscribed, one.measures));
      if (!isReady(condition, present)) {
        stateChanges.fill(subscribed, present, factId, isMeasured, emptied);
        continue;
      }
      if (!isMeasured) continue;
      evaluations += 1;
      const notification = stateChanges.evaluate(subscribed, results, slid, factId, emptied);
      if (notification !== undefined) (notifications ??= []).push(notification);
    }
    before = slid;
    first = i + 1;
  }
  const values = withUntracked(settled(slid), measured.measurements, rules.tracked, { now, isSubscribed });
  const { counted = context.windows.counted } = measured;
  const windows = counted === undefined ? values : { ...values, counted };
  if (isCut) {
    // A subscription whose windows were cut, and that was not evaluated since, is `filling`: what it compared is gone.
    const isShorter = (metric: Metric): boolean =>
      windowOf(windows, metric).values.length < windowOf(context.windows, metric).values.length;
    for (const subscribed of rules.all) {
      const isMeasured = measured.measurements.some((one) => measures(subscribed, one.measures));
      if (!isMeasured && subscribed.condition.metrics.some(isShorter))
        stateChanges.fill(subscribed, { windows, size }, factId, false);
    }
  }
  return { rules, factId, windows, stateChanges, notifications: notifications ?? NONE, evaluations };
}

/** Returns those of the metrics with a `clear` whose windows the next measurement empties; undefined: none. */
function emptiedOf(
  { clearMetrics }: SubscribedRules,
  windows: Windows<Values>,
  now: number,
  gapMs: number,
): ReadonlySet<Metric> | undefined {
  const isEmptied = (metric: Metric): boolean => isOutdated(windowOf(windows, metric), now, gapMs);
  return clearMetrics.some(isEmptied) ? new Set(clearMetrics.filter(isEmptied)) : undefined;
}

/** Applies the changes of the window size since the last fact to the windows. */
export function currentWindows(context: ServerContext, tenant: TenantView): Windows {
  return shrink(context.windows, smallestSince(tenant.window, context.windowVersion));
}

/** True if the measurement has a metric of the rule. */
function measures({ condition }: SubscribedRule, values: Measures): boolean {
  for (const metric of condition.metrics) {
    if (ofMetric(values, metric) !== undefined) return true;
  }
  return false;
}
