import { Refusal } from '../../errors.js';
import { holds } from '../rules/condition.js';
import type { Measures, Metric } from '../rules/condition.js';
import { smallestSince } from '../tenant/tenant-view.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { isMarked } from './broker-intents.js';
import { addMessages, boundedOutbox, outgoingMessages } from './outgoing-messages.js';
import type { MessageSettings, OutgoingMessages } from './outgoing-messages.js';
import type { FactsReply, ServerContext, ServerEvent } from './server-context.js';
import { subscribedRulesOf } from './subscribed-rules.js';
import type { SubscribedRule } from './subscribed-rules.js';
import { Watching } from './watching.js';
import { mean, shrink, slide } from './window.js';
import type { Windows } from './window.js';

/** The settings of the service for servers. */
export interface ServerSettings extends MessageSettings {
  /** Pause in the measurements that empties a window, ms; 0: never. */
  readonly gapMs: number;
  /** Maximum number of messages in the outbox of a server. The oldest beyond become dead letters. */
  readonly outboxLimit: number;
}

/** Maximum number of measurements times subscriptions of one request: each pair can fire. */
const FIRINGS_LIMIT = 1_000;

type Means = Partial<Record<Metric, number>>;
type FactsEvent = Extract<ServerEvent, { type: 'facts' }>;
type Change = Partial<ServerContext>;

/**
 * Operation 1: numbers each measurement, adds it to the windows and evaluates the rules that use its metrics. Replies
 * with `FactsReply`. Throws `Refusal('too-large')` or `Refusal('unavailable')` if the facts cause too many messages.
 */
export function takeFacts(context: ServerContext, event: FactsEvent, settings: ServerSettings): Change {
  if (!counts(context, event.source)) {
    const reply: FactsReply = { factId: context.factId, counted: false, evaluated: 0, fired: 0 };
    return { reply };
  }
  refuseTooMany(event.measures.length, context.subscriptions.length);
  const { size } = event.tenant.window;
  const subscribedRules = subscribedRulesOf(context.subscriptions, context.rules, event.tenant);
  const watching = new Watching(context, event.now);
  let windows = currentWindows(context, event.tenant);
  const isCut = windows !== context.windows;
  let { factId } = context;
  let messages: OutgoingMessages | undefined;
  let unsent: Record<string, number> | undefined;
  let evaluations = 0;
  let fired = 0;
  let full = false;
  for (const measures of event.measures) {
    factId += 1;
    windows = slide(windows, measures, event.now, size, settings.gapMs);
    const means: Means = {};
    full = subscribedRules.length > 0;
    for (const subscribed of subscribedRules) {
      watching.compareKeys(subscribed, windows, size);
      if (!ready(subscribed.metrics, windows, size)) {
        full = false;
        watching.fill(subscribed, windows, size, factId);
        continue;
      }
      if (!isMeasured(subscribed, measures)) continue;
      evaluations += 1;
      addMeans(means, subscribed, windows);
      const { id, suspended } = subscribed.subscription;
      const holding = holds(subscribed.rule.condition, means);
      watching.evaluate(subscribed, holding, holding && suspended === undefined, means, factId);
      if (!holding) continue;
      if (suspended !== undefined) {
        unsent ??= { ...context.unsent };
        unsent[id] = (unsent[id] ?? 0) + 1;
        continue;
      }
      fired += 1;
      const firing = {
        subscribed,
        tenantId: context.address.tenant,
        tenantName: event.tenant.names[0] ?? context.address.tenant,
        serverId: context.address.name,
        factId,
        measures: measuresOf(subscribed, means),
        firedAt: event.now,
      };
      messages ??= outgoingMessages(context, event.room);
      addMessages(messages, firing, settings);
    }
  }
  if (isCut) fillCut(watching, subscribedRules, { context, event, windows, factId });
  const reply: FactsReply = { factId, counted: true, evaluated: evaluations, fired };
  const change: Change = {
    factId,
    windows,
    // Never decreases: a node with an older view of the tenant must not have past changes applied again.
    windowVersion: Math.max(context.windowVersion, event.tenant.window.version),
    full,
    reply,
  };
  if (unsent !== undefined) Object.assign(change, { unsent });
  if (messages === undefined) return Object.assign(change, watching.change(context.outbox));
  const outbox = boundedOutbox([...context.outbox, ...messages.added], settings.outboxLimit);
  return { ...change, mail: messages.mail, outbox, ...watching.change(outbox) };
}

/**
 * Called if a smaller window size has cut windows. A subscription that was not evaluated since then is `filling`: what its
 * last evaluation compared is gone.
 */
function fillCut(
  watching: Watching,
  subscribedRules: readonly SubscribedRule[],
  after: {
    readonly context: ServerContext;
    readonly event: FactsEvent;
    readonly windows: Windows;
    readonly factId: number;
  },
): void {
  const { context, event, windows, factId } = after;
  for (const subscribed of subscribedRules) {
    if (event.measures.some((measures) => isMeasured(subscribed, measures))) continue;
    const isCut = subscribed.metrics.some(
      (metric) => windows[metric].values.length < context.windows[metric].values.length,
    );
    if (isCut) watching.fill(subscribed, windows, event.tenant.window.size, factId);
  }
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

/** True if the windows of every metric of a subscribed rule are full. */
export function isFull(context: ServerContext, tenant: TenantView): boolean {
  const subscribedRules = subscribedRulesOf(context.subscriptions, context.rules, tenant);
  return allFull(subscribedRules, currentWindows(context, tenant), tenant.window.size);
}

/** Applies the changes of the window size since the last fact to the windows. */
export function currentWindows(context: ServerContext, tenant: TenantView): Windows {
  return shrink(context.windows, smallestSince(tenant.window, context.windowVersion));
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

/** True if the measurement has a metric of the rule. */
function isMeasured(subscribed: SubscribedRule, measures: Measures): boolean {
  for (const metric of subscribed.metrics) if (measures[metric] !== undefined) return true;
  return false;
}

function ready(metrics: readonly Metric[], windows: Windows, size: number): boolean {
  for (const metric of metrics) if (windows[metric].values.length < size) return false;
  return true;
}

function allFull(subscribedRules: readonly SubscribedRule[], windows: Windows, size: number): boolean {
  for (const subscribed of subscribedRules) if (!ready(subscribed.metrics, windows, size)) return false;
  return subscribedRules.length > 0;
}

/** Adds the missing means of a rule. Many rules share a few windows, so each mean is computed once per measurement. */
function addMeans(means: Means, subscribed: SubscribedRule, windows: Windows): void {
  for (const metric of subscribed.metrics) means[metric] ??= mean(windows[metric].values);
}

/** Returns the means of the metrics in the condition. */
function measuresOf(subscribed: SubscribedRule, means: Measures): Measures {
  return Object.fromEntries(subscribed.metrics.map((metric) => [metric, means[metric]]));
}
