import { isOfDocument } from '../rules/metrics.js';
import { watchOf } from '../watch/watch.js';
import { arrivalOf } from '../windows/window.js';
import type { Windows } from '../windows/window.js';
import type { ServerContext } from './server-context.js';
import type { SubscribedRule, SubscribedRules } from './subscribed-rules.js';
import { wakeTime } from './wake.js';
import type { Said, Watching } from './watching.js';

const NOTHING: readonly Said[] = [];

/** Says `noData` for the subscriptions that are due, at most `most` of them. Returns what is said. */
export function lapseSilent(
  { withNoData }: Pick<SubscribedRules, 'withNoData'>,
  watching: Watching,
  windows: Windows,
  now: number,
  most = Infinity,
): readonly Said[] {
  if (withNoData.length === 0) return NOTHING;
  const said: Said[] = [];
  for (const subscribed of withNoData) {
    if (said.length === most) break;
    const due = silenceDue(subscribed, watching, windows);
    if (due === undefined || due > now) continue;
    const saying = watching.lapse(subscribed, lastMeasurement(subscribed, windows));
    said.push({ ...saying, subscribed, measures: {}, factId: null, at: due, windows });
  }
  return said;
}

/** Returns when the next subscription is due to say `noData`, ms since the epoch; undefined if none is. */
export function earliestSilence(
  withNoData: readonly SubscribedRule[],
  watching: Watching,
  windows: Windows,
): number | undefined {
  let earliest: number | undefined;
  for (const subscribed of withNoData) {
    const due = silenceDue(subscribed, watching, windows);
    if (due !== undefined && (earliest === undefined || due < earliest)) earliest = due;
  }
  return earliest;
}

/**
 * Returns the change that wakes the server at `due` at the latest. An earlier time stays: it is compared again then, and
 * every fact would move it.
 */
export function lapseTime(context: ServerContext, due: number | undefined): Partial<ServerContext> {
  const { lapseAt } = context;
  if (due === undefined || (lapseAt !== undefined && lapseAt <= due)) return {};
  const wakeAt = Math.min(context.wakeAt ?? Infinity, due);
  return { lapseAt: due, wakeAt };
}

/** Returns the change of a server whose subscriptions or rules are others. */
export function replanned(
  context: ServerContext,
  { withNoData }: SubscribedRules,
  watching: Watching,
): Partial<ServerContext> {
  const lapseAt = earliestSilence(withNoData, watching, context.windows);
  return { lapseAt, wakeAt: wakeTime({ ...context, lapseAt }) };
}

/** Returns when a subscription says `noData` if no measurement comes, ms since the epoch; undefined: never. */
function silenceDue(subscribed: SubscribedRule, watching: Watching, windows: Windows): number | undefined {
  const { noData } = subscribed.rule;
  if (noData === undefined) return undefined;
  const last = lastMeasurement(subscribed, windows);
  if (watchOf(watching.of(subscribed))?.silentSince === last) return undefined;
  const from = last === 0 ? subscribed.subscription.at : last;
  return from === undefined ? undefined : from + noData * 1000;
}

/**
 * Returns when the last measurement came that `noData` counts for a subscription, ms since the epoch; 0 if none did. Of
 * metrics outside the document those from before the subscription do not count.
 */
function lastMeasurement({ condition, subscription }: SubscribedRule, windows: Windows): number {
  let last = 0;
  for (const metric of condition.metrics) {
    const { at } = arrivalOf(windows, metric);
    if (at > last && (isOfDocument(metric) || at >= (subscription.at ?? 0))) last = at;
  }
  return last;
}
