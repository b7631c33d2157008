import { Refusal } from '../../errors.js';
import { isMarked } from '../subscriptions/broker-intents.js';
import { holds } from '../rules/condition.js';
import { emailOf, firingId, webhookOf } from '../facts/firing.js';
import type { Firing } from '../facts/firing.js';
import { watches } from '../lookup.js';
import type { Watch } from '../lookup.js';
import { addMessage, newsOf } from '../subscriptions/news.js';
import type { News } from '../subscriptions/news.js';
import { isEmail } from '../rules/rule.js';
import type { Metric } from '../rules/rule.js';
import type { FactsReply, ServerContext, ServerEvent, TenantView } from './server-context.js';
import { smallestSince } from '../tenant/window-size.js';
import { mean, shrink, slide } from './window.js';
import type { Measures, Windows } from './window.js';

/** What the service's settings say about servers. */
export interface ServerSettings {
  /** After what pause a window is emptied, ms; 0: never. */
  readonly gapMs: number;
  /** At most one e-mail per subscription in this time, ms. */
  readonly mailIntervalMs: number;
  /** Where people find the service. */
  readonly publicUrl: () => string;
  /** Most messages a server may have waiting to be handed over; the oldest beyond become dead letters. */
  readonly outboxLimit: number;
}

/** Most firings of one request: its measurements times the subscriptions of the server, whether they fire or not. */
const FIRINGS_LIMIT = 1_000;

type Means = Partial<Record<Metric, number>>;
type Facts = Extract<ServerEvent, { type: 'facts' }>;
type Change = Partial<ServerContext>;

/** The server after measurements came: numbered, in its windows, every watched rule that they concern evaluated. */
export function takeFacts(context: ServerContext, event: Facts, settings: ServerSettings): Change {
  if (!counts(context, event.source)) {
    const reply: FactsReply = { factId: context.factId, counted: false, fired: 0 };
    return { reply };
  }
  refuseTooMany(event.measures.length, context.subscriptions.length);
  const { size } = event.tenant.window;
  const list = watches(context.subscriptions, context.rules, event.tenant);
  let windows = currentWindows(context, event.tenant);
  let { factId, firing } = context;
  let news: News | undefined;
  let unsent: Record<string, number> | undefined;
  let fired = 0;
  for (const measures of event.measures) {
    factId += 1;
    windows = slide(windows, measures, event.now, size, settings.gapMs);
    const means: Means = {};
    let evaluated = false;
    let held = false;
    for (const watch of list) {
      if (!concerns(watch, measures, windows, size)) continue;
      evaluated = true;
      addMeans(means, watch, windows);
      if (!holds(watch.rule.condition, means)) continue;
      held = true;
      if (watch.subscription.suspended !== undefined) {
        const { id } = watch.subscription;
        unsent ??= { ...context.unsent };
        unsent[id] = (unsent[id] ?? 0) + 1;
        continue;
      }
      fired += 1;
      const firing = {
        watch,
        tenantId: context.address.tenant,
        tenantName: event.tenant.names[0] ?? context.address.tenant,
        serverId: context.address.name,
        factId,
        measures: measuresOf(watch, means),
        firedAt: event.now,
      };
      news ??= newsOf(context, event.room);
      addMessages(news, firing, settings);
    }
    if (evaluated) firing = held;
  }
  const reply: FactsReply = { factId, counted: true, fired };
  const change: Change = {
    factId,
    windows,
    // A node that has not heard of the newest change yet must not have older ones applied once more.
    windowVersion: Math.max(context.windowVersion, event.tenant.window.version),
    full: allFull(list, windows, size),
    firing,
    reply,
  };
  if (unsent !== undefined) Object.assign(change, { unsent });
  return news === undefined
    ? change
    : { ...change, mail: news.mail, outbox: bounded([...context.outbox, ...news.messages], settings) };
}

/** Refuses measurements that could fire too many messages. A server has too few subscriptions to refuse a single one. */
function refuseTooMany(measurements: number, subscriptions: number): void {
  if (measurements * subscriptions <= FIRINGS_LIMIT) return;
  const most = Math.floor(FIRINGS_LIMIT / subscriptions);
  throw new Refusal(
    'too-large',
    `body: ${measurements} elements for ${subscriptions} subscriptions of this server are more than ` +
      `${FIRINGS_LIMIT} possible messages; send at most ${most} ${most === 1 ? 'element' : 'elements'} together`,
  );
}

/** Whether the windows of every watched metric are full. */
export function isFull(context: ServerContext, tenant: TenantView): boolean {
  const list = watches(context.subscriptions, context.rules, tenant);
  return allFull(list, currentWindows(context, tenant), tenant.window.size);
}

/** The windows as the changes of the window size that the server has not seen leave them. */
function currentWindows(context: ServerContext, tenant: TenantView): Windows {
  return shrink(context.windows, smallestSince(tenant.window, context.windowVersion));
}

/**
 * Of a server's subscriptions at a broker one feeds its windows, so that a measurement sent for each of them counts
 * once. An id that was never ours counts; the mark of one that is being made, or was left over, only where none feeds.
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

function concerns(watch: Watch, measures: Measures, windows: Windows, size: number): boolean {
  for (const metric of watch.metrics) {
    if (measures[metric] !== undefined) return ready(watch.metrics, windows, size);
  }
  return false;
}

function ready(metrics: readonly Metric[], windows: Windows, size: number): boolean {
  for (const metric of metrics) if (windows[metric].values.length < size) return false;
  return true;
}

function allFull(list: readonly Watch[], windows: Windows, size: number): boolean {
  for (const watch of list) if (!ready(watch.metrics, windows, size)) return false;
  return list.length > 0;
}

/** Adds the means that a rule watches where they are missing: many rules watch the same few windows. */
function addMeans(means: Means, watch: Watch, windows: Windows): void {
  for (const metric of watch.metrics) means[metric] ??= mean(windows[metric].values);
}

/** Of the means those that the watched condition names. */
function measuresOf(watch: Watch, means: Measures): Measures {
  return Object.fromEntries(watch.metrics.map((metric) => [metric, means[metric]]));
}

/** Adds a firing's messages. */
function addMessages(news: News, firing: Firing, settings: ServerSettings): void {
  const { rule, subscription } = firing.watch;
  const id = firingId(firing);
  const common = { type: 'deliver', subscriptionId: subscription.id, firedAt: firing.firedAt } as const;
  addMessage(news, { ...common, id, message: webhookOf(firing, id) });
  if (!isEmail(rule.action)) return;
  const pause = news.mail[subscription.id];
  const silent = firing.firedAt - (pause?.at ?? -Infinity);
  // A clock that was ahead and went back must not silence mails until it is there again.
  if (pause !== undefined && silent >= 0 && silent < settings.mailIntervalMs) {
    news.mail[subscription.id] = { at: pause.at, quiet: pause.quiet + 1 };
    return;
  }
  const message = emailOf(firing, rule.action, pause?.quiet ?? 0, settings.publicUrl());
  addMessage(news, { ...common, id: `${id}_mail`, message });
  news.mail[subscription.id] = { at: firing.firedAt, quiet: 0 };
}

/** The outbox with what is beyond its limit marked, oldest first, as too old to be tried. */
function bounded(outbox: ServerContext['outbox'], settings: ServerSettings): ServerContext['outbox'] {
  let beyond = outbox.filter((entry) => entry.type === 'deliver' && entry.overdue === undefined).length;
  beyond -= settings.outboxLimit;
  if (beyond <= 0) return outbox;
  return outbox.map((entry) => {
    if (beyond <= 0 || entry.type !== 'deliver' || entry.overdue !== undefined) return entry;
    beyond -= 1;
    return { ...entry, overdue: true as const };
  });
}
