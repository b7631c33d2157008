import type { Rule } from '../rules/rule.js';
import { metricsOf } from '../rules/condition.js';
import { currentWindows } from '../server/evaluate.js';
import { firingId } from '../server/firing-messages.js';
import type { ServerContext, Subscription } from '../server/server-context.js';
import { fillingSentence } from '../server/watching.js';
import { meansOf } from '../server/window.js';
import type { Window, Windows } from '../server/window.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { comparedIn, uncomparedIn } from '../watch/comparisons.js';
import { calmSentence, holdingSentence, UNSUBSCRIBED, withSuspension } from '../watch/sentences.js';
import { conditionKey, watchOf } from '../watch/watch.js';
import type { LastFiring, Watch } from '../watch/watch.js';
import type {
  DeliveryStanding,
  ExplainedFiring,
  ExplainedSubscription,
  ExplainedWindow,
  Explanation,
} from './shapes.js';

/** Returns the ids of the deliveries that `explainRule` asks for. */
export function deliveriesOf(server: ServerContext, rule: Rule): readonly string[] {
  return boundTo(server, rule).flatMap(({ id }) => {
    const last = watchIn(server, id)?.last;
    return last === undefined ? [] : [deliveryIdOf(server, id, last)];
  });
}

/** Explains one rule, of the server or of its tenant. `standings` has the deliveries of `deliveriesOf` by id. */
export function explainRule(
  server: ServerContext,
  tenant: TenantView,
  rule: Rule,
  standings: ReadonlyMap<string, DeliveryStanding>,
): Explanation {
  const { factId, address } = server;
  const { size } = tenant.window;
  const metrics = metricsOf(rule.condition);
  const at = Math.max(...Object.values(server.windows).map((window) => window.at));
  // The server cuts its windows with its next fact; a change of the size is in force at once.
  const windows = currentWindows(server, tenant);
  const bound = boundTo(server, rule);
  return {
    ruleId: rule.ruleId,
    serverId: address.name,
    windows: Object.fromEntries(metrics.map((metric) => [metric, shownWindow(windows[metric], size)])),
    lastFact: factId === 0 ? null : { id: factId, at: isoOf(at) },
    subscriptions: bound.map((subscription) =>
      explained(server, { windows, size }, rule, subscription, standings),
    ),
    ...(bound.length === 0 ? { sentence: UNSUBSCRIBED } : {}),
  };
}

/** The windows of a server with the window size in force. */
interface Present {
  readonly windows: Windows;
  readonly size: number;
}

function explained(
  server: ServerContext,
  present: Present,
  rule: Rule,
  subscription: Subscription,
  standings: ReadonlyMap<string, DeliveryStanding>,
): ExplainedSubscription {
  const { id, url, suspended } = subscription;
  const watch = watchIn(server, id);
  const last = watch?.last;
  return {
    subscriptionId: id,
    url,
    ...judgement(server, present, rule, subscription, watch),
    firings: watch?.firings ?? 0,
    unsent: server.unsent?.[id] ?? 0,
    ...(suspended === undefined ? {} : { suspended: isoOf(suspended) }),
    lastFiring: last === undefined ? null : shownFiring(server, id, last, standings),
  };
}

/** Returns what the last evaluation says, or that there is none of the present condition and windows. */
function judgement(
  { windows: evaluated }: ServerContext,
  { windows, size }: Present,
  { condition }: Rule,
  { suspended }: Subscription,
  watch: Watch | undefined,
): Pick<ExplainedSubscription, 'state' | 'since' | 'sentence' | 'comparisons'> {
  const metrics = metricsOf(condition);
  const isFull = metrics.every((metric) => windows[metric].values.length >= size);
  const said = (sentence: string): string => withSuspension(suspended, sentence);
  if (!isFull || watch?.condition !== conditionKey(condition) || watch.state === 'filling') {
    const sentence = said(fillingSentence(metrics, windows, size));
    return { state: 'filling', since: null, sentence, comparisons: uncomparedIn(condition) };
  }
  const comparisons = comparedIn(condition, meansOf(metrics, evaluated));
  const { state, since } = watch;
  if (state === 'calm' || since === undefined) {
    return { state: 'calm', since: null, sentence: said(calmSentence(comparisons)), comparisons };
  }
  return { state, since: isoOf(since), sentence: said(holdingSentence(since, comparisons)), comparisons };
}

function shownFiring(
  server: ServerContext,
  subscriptionId: string,
  last: LastFiring,
  standings: ReadonlyMap<string, DeliveryStanding>,
): ExplainedFiring {
  const deliveryId = deliveryIdOf(server, subscriptionId, last);
  const waits = server.outbox.some(({ id }) => id === deliveryId);
  const delivery = standings.get(deliveryId) ?? (waits ? 'pending' : 'forgotten');
  return { at: isoOf(last.at), factId: last.factId, deliveryId, delivery };
}

/** Returns a window as explanations show it. `size`: number of values of a full window. */
export function shownWindow({ values, emptied }: Window, size: number): ExplainedWindow {
  if (emptied === undefined || values.length >= size) return { size, values };
  return { size, values, emptied: isoOf(emptied.at) };
}

function boundTo({ subscriptions }: ServerContext, { ruleId }: Rule): readonly Subscription[] {
  return subscriptions.filter((subscription) => subscription.ruleId === ruleId);
}

/** Returns the watch of a subscription; undefined if it was never evaluated. */
export function watchIn(
  { subscriptions, watches }: ServerContext,
  subscriptionId: string,
): Watch | undefined {
  return watchOf(watches?.[subscriptions.findIndex(({ id }) => id === subscriptionId)]);
}

function deliveryIdOf(
  { address }: ServerContext,
  subscriptionId: string,
  { at, factId }: LastFiring,
): string {
  return firingId({ tenantId: address.tenant, serverId: address.name, subscriptionId, factId, firedAt: at });
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
