import { Refusal } from '../../errors.js';
import { isFull } from './evaluate.js';
import { asKnown, intentOf, tooLate } from '../subscriptions/broker-intents.js';
import { findRule, unknownSubscription } from '../lookup.js';
import { withChange, withRules, withoutRule } from '../rules/rules.js';
import { discarding, remembering, SUBSCRIPTIONS_LIMIT, unsubscribing, without } from './server-outbox.js';
import type { RuleReply, ServerContext, ServerEvent, Subscription, TenantView } from './server-context.js';

/** How long before its end a subscription at the broker is renewed, ms. */
const RENEW_AHEAD_MS = 60 * 60 * 1000;
/** How soon after a renewal the next one may come, ms: a broker may grant less than `RENEW_AHEAD_MS`. */
const RENEW_SOONEST_MS = 60 * 1000;
/** When a renewal that is under way is looked after again, ms. */
const RENEW_AGAIN_MS = 10 * 60 * 1000;

type Change = Partial<ServerContext>;
type Of<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;

/** Operation 11: rules join the server's own. */
export function addRules(context: ServerContext, event: Of<'addRules'>): Change {
  const rules = withRules(context.rules, event.rules);
  return { rules, outbox: asKnown(context.outbox), reply: undefined };
}

/** Operation 12. */
export function changeRule(context: ServerContext, event: Of<'changeRule'>): Change {
  const { rules, changed } = withChange(context.rules, event.ruleId, event.change);
  const reply: RuleReply = changed;
  return { rules, reply };
}

/** Operation 13: the rule goes, and its subscriptions with it. */
export function removeRule(context: ServerContext, event: Of<'removeRule'>): Change {
  return {
    rules: withoutRule(context.rules, event.ruleId),
    ...ending(context, (one) => one.ruleId === event.ruleId),
  };
}

/** The subscriptions of a generic rule that is gone end. */
export function endRule(context: ServerContext, event: Of<'endRule'>): Change {
  return ending(context, (one) => one.ruleId === event.ruleId);
}

/**
 * Operation 15: the reply is the subscription that now binds the rule to the url, be it this one or an older one. An
 * older one that was suspended is taken up again.
 */
export function subscribe(context: ServerContext, event: Of<'subscribe'>): Change {
  const { subscription, tenant, mark } = event;
  const before = bound(context, subscription, tenant);
  if (before !== undefined) return before;
  const intent = mark === undefined ? undefined : intentOf(context, mark);
  if (mark !== undefined && intent === undefined) throw tooLate();
  const subscriptions = [...context.subscriptions, subscription];
  return {
    subscriptions,
    ...standing({ ...context, subscriptions }),
    full: isFull({ ...context, subscriptions }, tenant),
    outbox: asKnown(intent === undefined ? context.outbox : without(context.outbox, intent.id)),
    reply: subscription,
  };
}

/** Operation 15 with a broker, before it is asked: the reply is the subscription that there is already, if any. */
export function intend(context: ServerContext, event: Of<'intend'>): Change {
  const { mark, known, now, wanted, tenant } = event;
  return (
    bound(context, wanted, tenant) ?? {
      outbox: [...context.outbox, { id: `intend:${mark}`, type: 'intend', mark, at: now, known }],
      reply: undefined,
    }
  );
}

/** What comes of a wish for a subscription that is there; undefined for a new one. Throws where it cannot be had. */
function bound(
  context: ServerContext,
  wanted: Pick<Subscription, 'ruleId' | 'url'>,
  tenant: TenantView,
): Change | undefined {
  if (findRule(wanted.ruleId, context.rules, tenant.rules) === undefined) {
    throw new Refusal('not-found', `ruleId: neither this server nor its tenant has a rule ${wanted.ruleId}`);
  }
  const same = context.subscriptions.find((one) => one.ruleId === wanted.ruleId && one.url === wanted.url);
  if (same?.suspended !== undefined) return resuming(context, same, same.suspended);
  if (same !== undefined) return { reply: same };
  if (context.subscriptions.length < SUBSCRIPTIONS_LIMIT) return undefined;
  throw new Refusal(
    'too-large',
    `a server can have at most ${SUBSCRIPTIONS_LIMIT} subscriptions; end some first`,
  );
}

/** Operation 16. */
export function unsubscribe(context: ServerContext, event: Of<'unsubscribe'>): Change {
  if (!context.subscriptions.some((one) => one.id === event.subscriptionId)) {
    throw unknownSubscription(event.subscriptionId);
  }
  return ending(context, (one) => one.id === event.subscriptionId);
}

/** What fires from now on is not sent. A suspension that comes again after it was lifted changes nothing. */
export function suspend(context: ServerContext, { subscriptionId, since }: Of<'suspend'>): Change {
  const known = context.subscriptions.find((one) => one.id === subscriptionId);
  if (known === undefined || known.suspended !== undefined || known.lifted === since) return {};
  return { subscriptions: replaced(context.subscriptions, known, { ...known, suspended: since }) };
}

function resuming(context: ServerContext, known: Subscription, since: number): Change {
  const { suspended: _, ...rest } = known;
  const resumed: Subscription = { ...rest, lifted: since };
  const id = `resume:${known.id}`;
  return {
    subscriptions: replaced(context.subscriptions, known, resumed),
    outbox: [...without(context.outbox, id), { id, type: 'resume', subscriptionId: known.id, since }],
    reply: resumed,
  };
}

/** A subscription at the broker that came to nothing here is ended there. */
export function discard(context: ServerContext, { brokerId, mark }: Of<'discard'>): Change {
  const intent = mark === undefined ? undefined : intentOf(context, mark);
  const outbox = intent === undefined ? context.outbox : without(context.outbox, intent.id);
  return discarding({ ...context, outbox }, brokerId);
}

/** The broker extended a subscription, or made another in the place of one that it had lost. */
export function renewed(context: ServerContext, event: Of<'renewed'>): Change {
  const outbox = without(context.outbox, event.entryId);
  const known = context.subscriptions.find((one) => one.id === event.subscriptionId);
  if (known === undefined) return discarding({ ...context, outbox }, event.broker.id);
  const lost = known.broker === undefined || known.broker.id === event.broker.id ? [] : [known.broker.id];
  const subscriptions = replaced(context.subscriptions, known, { ...known, broker: event.broker });
  const next = renewalTime(subscriptions);
  return {
    subscriptions,
    outbox,
    wakeAt: next === undefined ? undefined : Math.max(next, event.now + RENEW_SOONEST_MS),
    ended: remembering(context, lost),
  };
}

/** An entry of the outbox is done. */
export function performed(context: ServerContext, event: Of<'performed'>): Change {
  return { outbox: without(context.outbox, event.entryId) };
}

/** Messages of the outbox are with the deliveries. */
export function handedOver(context: ServerContext, event: Of<'handedOver'>): Change {
  const handed = new Set(event.entryIds);
  return { outbox: context.outbox.filter(({ id }) => !handed.has(id)) };
}

/** The time has come to renew what ends soon at the broker. */
export function wake(context: ServerContext, event: Of<'wake'>): Change {
  if (context.wakeAt === undefined || context.wakeAt > event.now) return {};
  const due = context.subscriptions.filter((one) => (renewalOf(one) ?? Infinity) <= event.now);
  const fresh = due
    .map(
      (one) =>
        ({ id: `renew:${one.id}`, type: 'renew', subscriptionId: one.id, brokerId: one.broker!.id }) as const,
    )
    .filter((entry) => !context.outbox.some((waiting) => waiting.id === entry.id));
  const next = renewalTime(context.subscriptions.filter((one) => !due.includes(one)));
  const again = due.length > 0 ? event.now + RENEW_AGAIN_MS : undefined;
  return { outbox: [...context.outbox, ...fresh], wakeAt: earliest([next, again]) };
}

/** What remains when some subscriptions end: those fed by the broker are ended there too. */
function ending(context: ServerContext, ends: (subscription: Subscription) => boolean): Change {
  const gone = context.subscriptions.filter(ends);
  if (gone.length === 0) return {};
  const subscriptions = context.subscriptions.filter((one) => !gone.includes(one));
  const brokerIds = gone.flatMap((one) => (one.broker === undefined ? [] : [one.broker.id]));
  return {
    subscriptions,
    ...standing({ ...context, subscriptions }),
    mail: keptOf(context.mail, gone),
    unsent: context.unsent && keptOf(context.unsent, gone),
    outbox: [
      ...context.outbox.filter(
        (entry) => entry.type !== 'renew' || !gone.some((one) => one.id === entry.subscriptionId),
      ),
      ...brokerIds.map(unsubscribing),
    ],
    ended: remembering(context, brokerIds),
  };
}

/** What is kept per subscription, without those that are gone. */
function keptOf<T>(kept: Readonly<Record<string, T>>, gone: readonly Subscription[]): Record<string, T> {
  return Object.fromEntries(Object.entries(kept).filter(([id]) => !gone.some((one) => one.id === id)));
}

function replaced(
  subscriptions: readonly Subscription[],
  old: Subscription,
  by: Subscription,
): readonly Subscription[] {
  return subscriptions.map((one) => (one === old ? by : one));
}

/** What follows from the list of subscriptions alone. */
function standing(context: Pick<ServerContext, 'subscriptions' | 'firing'>): Change {
  return {
    firing: context.firing && context.subscriptions.length > 0,
    wakeAt: renewalTime(context.subscriptions),
  };
}

function renewalTime(subscriptions: readonly Subscription[]): number | undefined {
  return earliest(subscriptions.map(renewalOf));
}

function renewalOf(subscription: Subscription): number | undefined {
  const end = subscription.broker?.expiresAt;
  return end === undefined ? undefined : end - RENEW_AHEAD_MS;
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
