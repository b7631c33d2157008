import { compare, compiled } from '../rules/compiled.js';
import type { Rule } from '../rules/rule.js';
import { ofMetric } from '../rules/metrics.js';
import { deliveryOfPeriod, isToAlertmanager } from '../server/alert-changes.js';
import { currentWindows } from '../server/evaluate.js';
import type { Ignored } from '../server/ignored-values.js';
import type { ServerContext } from '../server/server-context.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { evaluatedCondition, type EvaluatedCondition, unevaluated } from '../state/evaluated-condition.js';
import { evaluatedSentence, noDataSentence, UNSUBSCRIBED, withSuppression } from '../state/sentences.js';
import {
  ackOf,
  type Acknowledgement,
  type SentFiring,
  type SubscriptionState,
  stateFrom,
} from '../state/subscription-state.js';
import { Results, fillingSentence, isReady } from '../windows/results.js';
import { lastArrival, type Window, windowOf } from '../windows/window.js';
import type {
  AcknowledgementView,
  DeliveryStanding,
  ExplainedFact,
  ExplainedFiring,
  ExplainedSubscription,
  ExplainedWindow,
  Explanation,
} from './shapes.js';
import { quietOfRule, quietOfServer } from '../quiet/matching.js';
import { currentMute, type Subscription } from '../state/subscription.js';
import { alertId } from '../alerts/alert-messages.js';
import { isoOf } from '../../system/iso.js';

/** A subscription of a rule with its state; undefined if it was never evaluated. */
export interface Bound {
  readonly subscription: Subscription;
  readonly current: SubscriptionState | undefined;
}

/** Returns the subscriptions of a rule. */
export function boundTo({ subscriptions, states }: ServerContext, { ruleId }: Rule): readonly Bound[] {
  return subscriptions.flatMap((subscription, i) =>
    subscription.ruleId === ruleId ? [{ subscription, current: stateFrom(states[i]) }] : [],
  );
}

/** Returns the ids of the deliveries whose standings the explanation of some subscriptions needs. */
export function deliveriesOf(server: ServerContext, bound: readonly Bound[]): readonly string[] {
  return bound.flatMap((one) =>
    one.current?.last === undefined ? [] : [deliveryIdOf(server, one, one.current.last)],
  );
}

/** A server at the time of an explanation. */
export type Explained = ReturnType<typeof explainedAt>;

/** Returns a server at a time, ms since the epoch. `standings`: those of the deliveries of `deliveriesOf`, by id. */
export function explainedAt(
  server: ServerContext,
  tenant: TenantView,
  standings: ReadonlyMap<string, DeliveryStanding>,
  now: number,
) {
  // The server cuts its windows with its next fact; a change of the size is in force at once.
  const present = { windows: currentWindows(server, tenant), size: tenant.window.size };
  // What the last evaluation compared: the aggregates of the windows as stored.
  const quiet = quietOfServer(tenant.quiet, server.address.name);
  return { server, quiet, present, results: new Results(server.windows), standings, now };
}

/** Explains one rule, of the server or of its tenant, given its subscriptions explained. */
export function explainRule(
  { server, present: { windows, size } }: Explained,
  rule: Rule,
  subscriptions: readonly ExplainedSubscription[],
): Explanation {
  const { factId, address, ignored = {} } = server;
  return {
    ruleId: rule.ruleId,
    serverId: address.name,
    windows: Object.fromEntries(
      compiled(rule.condition).metrics.map((metric) => [
        metric,
        shownWindow(windowOf(windows, metric), size, ofMetric(ignored, metric)),
      ]),
    ),
    lastFact: factId === 0 ? null : shownFact(server),
    subscriptions,
    ...(subscriptions.length === 0 ? { sentence: UNSUBSCRIBED } : {}),
  };
}

function shownFact({ factId, windows, origin }: ServerContext): ExplainedFact {
  const fact = { id: factId, at: isoOf(lastArrival(windows)) };
  return origin === undefined ? fact : { ...fact, source: origin };
}

/** Explains one subscription of a rule. */
export function explainSubscription(explained: Explained, rule: Rule, bound: Bound): ExplainedSubscription {
  const { subscription, current } = bound;
  const { server, quiet, now, standings } = explained;
  const { id, url, suspended } = subscription;
  const last = current?.last;
  const ack = current && ackOf(current);
  const mute = currentMute({ subscription, quiet: quietOfRule(quiet, rule.name) }, now);
  const { sentence, comparisons, ...judged } = judgement(explained, rule, current);
  return {
    subscriptionId: id,
    url,
    ...judged,
    sentence: withSuppression(subscription, mute, sentence),
    comparisons,
    firings: current?.firings ?? 0,
    unsent: server.unsent?.[id] ?? 0,
    ...(mute === undefined ? {} : { mutedUntil: isoOf(mute.until) }),
    ...(mute?.quiet === undefined ? {} : { mutedBy: mute.quiet }),
    ...(mute !== undefined && mute.quiet === undefined ? shownComment(subscription) : {}),
    ...(suspended === undefined ? {} : { suspended: isoOf(suspended) }),
    ...(ack === undefined ? {} : { ack: shownAck(ack) }),
    lastFiring: last === undefined ? null : shownFiring(server, bound, last, standings),
  };
}

/** Returns the author and the comment of a mute; nothing without a comment. */
function shownComment({ muter, mutedAt, muteComment }: Subscription): Pick<ExplainedSubscription, 'mute'> {
  if (muter === undefined || mutedAt === undefined || muteComment === undefined) return {};
  return { mute: { by: muter, at: isoOf(mutedAt), comment: muteComment } };
}

/** Returns an acknowledgement as the API shows it. */
export function shownAck({ by, at, note }: Acknowledgement): AcknowledgementView {
  return { by, at: isoOf(at), note: note ?? null };
}

type Judgement = Pick<ExplainedSubscription, 'state' | 'since' | 'sentence' | 'comparisons'>;

/** Returns what the last evaluation says; `filling` without one of the present condition, or while a window is not full. */
function judgement(
  { present, results, now }: Explained,
  rule: Rule,
  current: SubscriptionState | undefined,
): Judgement {
  const condition = compiled(rule.condition);
  const isReadyNow = isReady(condition, present);
  const evaluated = ({ mask = 0 }: SubscriptionState): EvaluatedCondition =>
    evaluatedCondition(condition, results.of, compare(condition, results.of, mask));
  if (current?.condition === condition.key && current.state === 'noData') {
    const last = current.noDataSince === 0 ? undefined : current.noDataSince;
    return {
      state: 'noData',
      since: isoOrNull(last),
      sentence: noDataSentence(last, now, current.noDataFrom ?? last),
      comparisons:
        isReadyNow && current.evaluated === true ? evaluated(current).comparisons : unevaluated(condition),
    };
  }
  if (!isReadyNow || current?.condition !== condition.key || current.state === 'filling') {
    const sentence = fillingSentence(condition, present);
    return { state: 'filling', since: null, sentence, comparisons: unevaluated(condition) };
  }
  const { state, since } = current;
  const result = evaluated(current);
  const sentence = evaluatedSentence(rule, current, result);
  return { state, since: isoOrNull(since), sentence, comparisons: result.comparisons };
}

function shownFiring(
  server: ServerContext,
  bound: Bound,
  last: SentFiring,
  standings: ReadonlyMap<string, DeliveryStanding>,
): ExplainedFiring {
  const deliveryId = deliveryIdOf(server, bound, last);
  const waits = server.outbox.some(
    (entry) =>
      entry.id === deliveryId || (entry.type === 'alert' && entry.subscriptionId === bound.subscription.id),
  );
  const delivery = standings.get(deliveryId) ?? (waits ? 'pending' : 'forgotten');
  return { at: isoOf(last.at), factId: last.factId, deliveryId, delivery };
}

/**
 * Returns a window as explanations show it. `size`: number of values of a full window. `ignored`: the values left out since
 * the last one that counted.
 */
export function shownWindow(
  { values, emptied }: Window,
  size: number,
  ignored: Ignored | undefined,
): ExplainedWindow {
  return {
    size,
    values,
    ...(emptied === undefined || values.length >= size ? {} : { emptied: isoOf(emptied.at) }),
    ...(ignored === undefined ? {} : { ignored: { ...ignored, at: isoOf(ignored.at) } }),
  };
}

/** All messages of a period to an Alertmanager have one delivery. */
function deliveryIdOf(
  { address }: ServerContext,
  { subscription, current }: Bound,
  { at, factId }: SentFiring,
): string {
  const { id: subscriptionId } = subscription;
  const first = current?.reported?.firings[0];
  if (isToAlertmanager(subscription) && first !== undefined)
    return deliveryOfPeriod(address, subscriptionId, first);
  return alertId({ tenantId: address.tenant, serverId: address.name, subscriptionId, factId, firedAt: at });
}

function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoOf(at);
}
