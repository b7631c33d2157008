import { Refusal } from '../../errors.js';
import { findRule, withChange, withoutRule, withRules } from '../rules/rule.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { asKnown, intentOf, tooLate } from './broker-intents.js';
import {
  checkAgain,
  endOfLease,
  SUBSCRIPTIONS_LIMIT,
  withEnded,
  without,
  withReplaced,
} from './broker-leases.js';
import { isFiring } from '../watch/watch.js';
import { withOnly } from '../windows/window.js';
import { currentWindows, isFull } from './evaluate.js';
import type { ServerContext, ServerEvent, Subscription } from './server-context.js';
import { withoutRefusedMessage } from './refused-message.js';
import { replanned, wakeForUnsent } from './silence.js';
import { EXTRAS_LIMIT, extrasOf, subscribedRulesOf } from './subscribed-rules.js';
import { wakeTime } from './wake.js';
import { Watching } from './watching.js';

type Change = Partial<ServerContext>;
type EventOf<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;

/** Operation 11. */
export function addRules(context: ServerContext, event: EventOf<'addRules'>): Change {
  const rules = withRules(context.rules, event.rules);
  return { rules, outbox: asKnown(context.outbox), reply: undefined };
}

/**
 * Operation 12. Replies with the changed rule. Another condition starts the subscriptions of the rule anew. Throws
 * `Refusal('conflict')` if the server would need too many windows.
 */
export function changeRule(context: ServerContext, event: EventOf<'changeRule'>): Change {
  const { rules, changed } = withChange(context.rules, event.ruleId, event.change);
  refuseTooManyWindows({ ...context, rules }, event.tenant);
  return {
    rules,
    reply: changed,
    ...withRuleChanged({ ...withoutUnused(context, event.tenant), rules }, event),
  };
}

/** Called after operation 6 for each server with a subscription of the rule. */
export function ruleChanged(context: ServerContext, event: EventOf<'ruleChanged'>): Change {
  return withRuleChanged(context, event);
}

/** Another condition of a rule starts its subscriptions anew; another `noData` changes when they are woken. */
function withRuleChanged(
  context: ServerContext,
  { ruleId, tenant, now }: { readonly ruleId: string; readonly tenant: TenantView; readonly now: number },
): Change {
  const watching = new Watching(context, now);
  const subscribed = subscribedRulesOf(context.subscriptions, context.rules, tenant);
  const windows = withOnly(context.windows, subscribed.extras);
  const present = { windows: currentWindows({ ...context, windows }, tenant), size: tenant.window.size };
  for (const one of subscribed.all) {
    if (one.rule.ruleId === ruleId) watching.startAnewIfChanged(one, present);
  }
  const change = { windows, ...watching.change(context.outbox) };
  const changed = { ...context, ...change };
  return { ...change, full: isFull(changed, tenant), ...replanned(changed, subscribed, watching) };
}

/** Removes the windows that no subscription needs any more: they begin empty if one needs them again. */
function withoutUnused(context: ServerContext, tenant: TenantView): ServerContext {
  const { extras } = subscribedRulesOf(context.subscriptions, context.rules, tenant);
  return { ...context, windows: withOnly(context.windows, extras) };
}

/** Throws `Refusal('conflict')` if the conditions name too many metrics outside the document. */
export function refuseTooManyWindows(
  context: Pick<ServerContext, 'subscriptions' | 'rules'>,
  tenant: TenantView,
  name = 'this server',
): void {
  const { all } = subscribedRulesOf(context.subscriptions, context.rules, tenant);
  const needed = extrasOf(all).length;
  if (needed <= EXTRAS_LIMIT) return;
  throw new Refusal(
    'conflict',
    `${name} would need windows of ${needed} metrics beside cpu, mem, hdd and net, and can have ${EXTRAS_LIMIT}; ` +
      'end subscriptions, or change rules, first',
  );
}

/** Operation 13: removes the rule and ends its subscriptions. */
export function removeRule(context: ServerContext, event: EventOf<'removeRule'>): Change {
  return {
    rules: withoutRule(context.rules, event.ruleId),
    ...ending(context, (one) => one.ruleId === event.ruleId),
  };
}

/** Ends the subscriptions of a generic rule that was removed. */
export function endRule(context: ServerContext, event: EventOf<'endRule'>): Change {
  return ending(context, (one) => one.ruleId === event.ruleId);
}

/**
 * Operation 15. Replies with the subscription that binds the rule to the url: the new one, or the existing one, which is
 * resumed if it was suspended. Throws `Refusal('unavailable')` if the intent was given up meanwhile.
 */
export function subscribe(context: ServerContext, event: EventOf<'subscribe'>): Change {
  const { subscription, tenant, mark } = event;
  const existing = bound(context, subscription, tenant, event.now);
  if (existing !== undefined) return existing;
  const intent = mark === undefined ? undefined : intentOf(context, mark);
  if (mark !== undefined && intent === undefined) throw tooLate();
  const made: Subscription = { ...subscription, at: event.now };
  const subscriptions = [...context.subscriptions, made];
  const changed = { ...withoutUnused(context, tenant), subscriptions };
  const subscribed = subscribedRulesOf(subscriptions, context.rules, tenant);
  return {
    subscriptions,
    windows: changed.windows,
    ...replanned(changed, subscribed, new Watching(changed, event.now)),
    full: isFull(changed, tenant),
    outbox: asKnown(intent === undefined ? context.outbox : without(context.outbox, intent.id)),
    reply: subscription,
  };
}

/** Operation 15 before the broker is asked. Replies with the existing subscription, if any, and has its lease checked. */
export function intend(context: ServerContext, event: EventOf<'intend'>): Change {
  const { mark, known, now, wanted, tenant } = event;
  const existing = bound(context, wanted, tenant, now);
  if (existing !== undefined) {
    return {
      ...existing,
      ...checkAgain({ ...context, ...existing }, (existing.reply as Subscription).id, now),
    };
  }
  return {
    outbox: [...context.outbox, { id: `intend:${mark}`, type: 'intend', mark, at: now, known }],
    reply: undefined,
  };
}

/**
 * Returns the change for an existing subscription of the rule and the url; undefined if there is none. Throws
 * `Refusal('not-found')` for an unknown rule, `Refusal('too-large')` if the server can have no more subscriptions.
 */
function bound(
  context: ServerContext,
  wanted: Pick<Subscription, 'ruleId' | 'url'>,
  tenant: TenantView,
  now: number,
): Change | undefined {
  if (findRule(wanted.ruleId, context.rules, tenant.rules) === undefined) {
    throw new Refusal('not-found', `ruleId: neither this server nor its tenant has a rule ${wanted.ruleId}`);
  }
  const same = context.subscriptions.find((one) => one.ruleId === wanted.ruleId && one.url === wanted.url);
  if (same?.suspended !== undefined) return resuming(context, same, same.suspended, now);
  if (same !== undefined) return { reply: same };
  if (context.subscriptions.length < SUBSCRIPTIONS_LIMIT) {
    const wantedToo: Subscription = { ...wanted, id: '' };
    refuseTooManyWindows({ ...context, subscriptions: [...context.subscriptions, wantedToo] }, tenant);
    return undefined;
  }
  throw new Refusal(
    'too-large',
    `a server can have at most ${SUBSCRIPTIONS_LIMIT} subscriptions; end some first`,
  );
}

/** Returns the refusal for a subscription id that the server does not have. */
export function unknownSubscription(subscriptionId: string): Refusal {
  return new Refusal('not-found', `subscriptionId: no subscription ${subscriptionId} on this server`);
}

/** Returns the refusal for a server that does not exist, or that the caller must not see. */
export function unknownServer(serverId: string): Refusal {
  return new Refusal('not-found', `serverId: no server ${serverId} is known`);
}

/** Operation 16. */
export function unsubscribe(context: ServerContext, event: EventOf<'unsubscribe'>): Change {
  if (!context.subscriptions.some((one) => one.id === event.subscriptionId)) {
    throw unknownSubscription(event.subscriptionId);
  }
  return ending(context, (one) => one.id === event.subscriptionId);
}

/**
 * Stops the messages of a subscription. The message whose refusal suspends it counts as not sent. A repeated event of a
 * suspension that already ended changes nothing.
 */
export function suspend(context: ServerContext, event: EventOf<'suspend'>): Change {
  const { subscriptionId, since, refused } = event;
  const known = context.subscriptions.find((one) => one.id === subscriptionId);
  if (known === undefined || known.suspended !== undefined || known.lifted === since) return {};
  const subscriptions = withReplaced(context.subscriptions, known, { ...known, suspended: since });
  if (refused === undefined) return { subscriptions };
  return { subscriptions, watches: withoutRefusedMessage(context, subscriptionId, refused) };
}

function resuming(context: ServerContext, known: Subscription, since: number, now: number): Change {
  const { suspended: _, ...rest } = known;
  const resumed: Subscription = { ...rest, lifted: since };
  const id = `resume:${known.id}`;
  return {
    subscriptions: withReplaced(context.subscriptions, known, resumed),
    ...wakeForUnsent(context, resumed, now),
    outbox: [...without(context.outbox, id), { id, type: 'resume', subscriptionId: known.id, since }],
    reply: resumed,
  };
}

/** Removes the messages and transitions that other actors have taken over. */
export function dispatched(context: ServerContext, event: EventOf<'dispatched'>): Change {
  const ids = new Set(event.entryIds);
  return { outbox: context.outbox.filter(({ id }) => !ids.has(id)) };
}

/** Ends some subscriptions, at the broker too. */
function ending(context: ServerContext, ends: (subscription: Subscription) => boolean): Change {
  const ended = context.subscriptions.filter(ends);
  if (ended.length === 0) return {};
  const subscriptions = context.subscriptions.filter((one) => !ended.includes(one));
  const watches = context.watches?.filter((_, i) => !ended.includes(context.subscriptions[i]!));
  const brokerIds = ended.flatMap((one) => (one.broker === undefined ? [] : [one.broker.id]));
  return {
    subscriptions,
    wakeAt: wakeTime({ ...context, subscriptions }),
    mail: withoutThose(context.mail, ended),
    newest: context.newest && withoutThose(context.newest, ended),
    unsent: context.unsent && withoutThose(context.unsent, ended),
    watches,
    firing: watches?.some(isFiring) ?? false,
    outbox: [
      ...context.outbox.filter(
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
