import { overloaded, Refusal } from '../../errors.js';
import { isMarked } from './broker-intents.js';
import { earliest } from './broker-leases.js';
import { currentWindows, evaluate } from './evaluate.js';
import { Ignoring } from './ignored-values.js';
import { StateChanges } from './state-changes.js';
import type { Change, EventOf, FactsReply, ServerContext } from './server-context.js';
import { earliestTimeout, timeOutAll, timeoutPlanned } from './no-data.js';
import { subscribedRulesOf } from './subscribed-rules.js';
import type { CountedTimes } from '../windows/counted-times.js';
import { newValues } from '../windows/new-values.js';
import { trendChange } from './close-minutes.js';
import { compose, type MessageSettings } from '../alerts/outgoing-messages.js';
import type { Notification } from '../alerts/alert-messages.js';

/** The settings of the service for servers. */
export interface ServerSettings extends MessageSettings {
  /** Pause in the measurements that empties a window, ms; 0: never. */
  readonly gapMs: number;
  /** How far after its arrival a source timestamp may be to be trusted, ms; Infinity: any time is. */
  readonly skewMs: number;
  /** Time without subscription, own rule and fact after which a server is deleted, ms; 0: never. */
  readonly forgetMs: number;
  /** Time between two messages of an alert that fires to its Alertmanager, ms. */
  readonly alertResendMs: number;
  /** True if watched metrics have a trend. */
  readonly trend: boolean;
}

/** Maximum number of measurements times subscriptions of one request: each pair can fire. */
const FIRINGS_LIMIT = 1_000;

/** When messages that did not fit are tried again, ms. */
const AGAIN_MS = 1_000;

/**
 * Operation 1: evaluates the measurements and sends the notifications. Replies with `FactsReply`. Throws
 * `Refusal('too-large')` or `Refusal('unavailable')` if they cause too many messages.
 */
export function takeFacts(context: ServerContext, event: EventOf<'facts'>, settings: ServerSettings): Change {
  const ignoring = new Ignoring(context, event.now);
  if (!counts(context, event.source)) {
    for (const measures of event.measures)
      for (const metric in measures) ignoring.leaveOut(metric, 'other subscription');
    return nothingCounted(context, ignoring);
  }
  refuseTooMany(event.measures.length, context.subscriptions.length);
  const { measurements, counted } = newValues(event, context.windows, settings.skewMs, ignoring);
  if (measurements.length === 0) return nothingCounted(context, ignoring, counted);
  const leftOut = event.measures.length - measurements.length;
  const { tenant, now, origin } = event;
  const { rules, factId, windows, stateChanges, notifications, evaluations } = evaluate(
    context,
    { measurements, now, tenant, origin, counted },
    settings.gapMs,
  );
  const composed = compose(
    context,
    notifications,
    { now, tenant, room: event.room, trace: event.trace },
    settings,
  );
  if (composed.refusal !== undefined) throw afterNoData(composed.refusal, notifications);
  const change: Change = {
    factId,
    windows,
    // Never decreases: a node with an older view of the tenant must not have past changes applied again.
    windowVersion: Math.max(context.windowVersion, tenant.window.version),
    ...ignoring.change(true),
    reply: {
      factId,
      counted: true,
      ...(leftOut === 0 ? {} : { leftOut }),
      ...ignoredIn(ignoring),
      evaluated: evaluations,
      fired: composed.fired,
    } satisfies FactsReply,
  };
  if (context.origin !== origin) Object.assign(change, { origin });
  Object.assign(change, composed.change, stateChanges.change(composed.change.outbox ?? context.outbox));
  const { withNoData, watched } = rules;
  if (settings.trend)
    Object.assign(
      change,
      trendChange(context, { measurements, watched, now, factId }, change.outbox ?? context.outbox),
    );
  if (withNoData.length > 0)
    Object.assign(change, timeoutPlanned(context, earliestTimeout(withNoData, stateChanges, windows)));
  return change;
}

/**
 * Applies the no-data timeouts that are over, and plans the next time. Those whose messages do not fit follow a second later.
 */
export function noDataTimeout(
  context: ServerContext,
  event: EventOf<'noDataTimeout'>,
  settings: ServerSettings,
): Change {
  const { tenant, now } = event;
  const rules = subscribedRulesOf(context, tenant);
  const windows = currentWindows(context, tenant);
  let stateChanges = new StateChanges(context, now);
  const notifications = timeOutAll(rules, stateChanges, windows, now);
  const entries = context.outbox.filter(({ type }) => type !== 'noDataTimeout');
  const composed = compose(
    { ...context, outbox: entries },
    notifications,
    { now, tenant, room: undefined },
    settings,
  );
  if (composed.refusal !== undefined) {
    stateChanges = new StateChanges(context, now);
    timeOutAll(rules, stateChanges, windows, now, composed.count);
  }
  const noDataAt =
    composed.refusal === undefined
      ? earliestTimeout(rules.withNoData, stateChanges, windows)
      : now + AGAIN_MS;
  return {
    outbox: entries,
    ...composed.change,
    ...stateChanges.change(composed.change.outbox ?? entries),
    noDataAt,
    wakeAt: earliest([context.wakeAt, noDataAt]),
  };
}

/** Returns the refusal of measurements. If `noData` messages from before them cause it, the request can be repeated. */
function afterNoData(refusal: Refusal, notifications: readonly Notification[]): Refusal {
  if (refusal.code !== 'too-large' || notifications.every(({ state }) => state !== 'noData')) return refusal;
  return overloaded('noData messages of this server must become deliveries first');
}

/** `counted`: the counted times after the measurements. If they became `unordered`, this is stored: more times are remembered then. */
function nothingCounted(
  { factId, windows }: ServerContext,
  ignoring: Ignoring,
  counted?: CountedTimes,
): Change {
  const reply: FactsReply = { factId, counted: false, ...ignoredIn(ignoring), evaluated: 0, fired: 0 };
  const change: Change = { ...ignoring.change(false), reply };
  if (counted?.unordered !== true || windows.counted?.unordered === true) return change;
  return { ...change, windows: { ...windows, counted } };
}

function ignoredIn({ values }: Ignoring): Pick<FactsReply, 'ignored'> {
  return values === undefined ? {} : { ignored: values };
}

/** A server has at most 1,000 subscriptions, so a single measurement is never refused. */
function refuseTooMany(measurements: number, subscriptions: number): void {
  if (measurements * subscriptions <= FIRINGS_LIMIT) return;
  const most = Math.floor(FIRINGS_LIMIT / subscriptions);
  throw new Refusal(
    'too-large',
    `body: ${measurements} elements for ${subscriptions} subscriptions of this server are more than ` +
      `${FIRINGS_LIMIT} possible messages; send at most ${most} ${most === 1 ? 'element' : 'elements'} together`,
  );
}

/**
 * True if facts from `source` count. A broker sends a measurement once per subscription of a server, so only the oldest
 * one feeds the windows. Facts of an ended subscription do not count. An id that was never ours counts. A mark of an
 * intent counts only while no subscription feeds.
 */
function counts(context: ServerContext, source: string | undefined): boolean {
  if (source === undefined) return true;
  if (context.ended.includes(source)) return false;
  let feeder: string | undefined;
  for (const { broker } of context.subscriptions) {
    feeder ??= broker?.id;
    if (broker?.id === source) return feeder === source;
  }
  return feeder === undefined || !isMarked(context, source);
}
