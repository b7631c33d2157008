import { createHash } from 'node:crypto';
import { setup } from 'xstate';
import { decides, following } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { Address, Listed } from '../../store/port.js';
import type { AboutSubscription } from '../delivery.js';

/**
 * The health of one url that a tenant's webhooks go to, for all subscriptions to it. Dead letters and suspensions are those of one
 * subscription: its endpoint has them.
 */
export interface ReceiverContext extends ActorContext {
  /** undefined before the first subscription to it, and the first answer. */
  readonly url: string | undefined;
  /** The newest subscription to it while nothing was sent; undefined afterwards. */
  readonly untried: Pick<AboutSubscription, 'server' | 'subscriptionId'> | undefined;
  /** Set from the first failed attempt until the next success. */
  readonly failing: Failing | undefined;
  /** Time of the newest success, ms since the epoch. */
  readonly succeededAt: number | undefined;
  /** When it began to work, ms since the epoch; undefined if it fails, and before the first answer. */
  readonly worksSince: number | undefined;
  readonly last: LastAnswer | undefined;
  /** The minutes with attempts of the last hour, oldest first. */
  readonly minutes: readonly Minute[];
  /** True if nothing was sent for so long that nothing is left to remember. */
  readonly forgotten: boolean;
  readonly outbox: readonly ReceiverEffect[];
}

/** Failed attempts without a success in between. Times are in ms since the epoch. */
export interface Failing extends Pick<AboutSubscription, 'server' | 'subscriptionId'> {
  /** Time of the first one. */
  readonly since: number;
  /** Time of the newest one. Its subscription is named. */
  readonly at: number;
}

/** The answer to the newest attempt. */
export interface LastAnswer {
  /** ms since the epoch. */
  readonly at: number;
  /** The HTTP status; null without an HTTP answer. */
  readonly status: number | null;
  readonly detail: string;
}

/** Attempts of a minute, which is counted since the epoch. */
export type Minute = readonly [minute: number, tries: number, successes: number];

/**
 * Check that the receiver is needed: the subscription of the newest failure, or of a receiver without an answer, still exists, or
 * messages wait.
 */
export type ReceiverEffect = OutboxEntry & { readonly type: 'check' };

/** Attempts were answered. */
export interface TriedEvent extends ActorEvent {
  readonly type: 'tried';
  readonly url: string;
  /** Attempts to be added. */
  readonly minutes: readonly Minute[];
  readonly last: LastAnswer | undefined;
  readonly succeededAt: number | undefined;
  /** The failures after the newest of these successes. */
  readonly failing: Failing | undefined;
}

/** A subscription to a url was made. */
export interface SubscribedEvent extends ActorEvent, Pick<AboutSubscription, 'server' | 'subscriptionId'> {
  readonly type: 'subscribed';
  readonly url: string;
}

export type ReceiverEvent =
  | TriedEvent
  | SubscribedEvent
  | (ActorEvent &
      (
        | { readonly type: 'wake' }
        /** No subscription has its url any more. */
        | { readonly type: 'erase' }
        /** `needed` is false if the subscription has ended and no message waits. */
        | { readonly type: 'checked'; readonly needed: boolean }
      ));

/** Kind of the actors that hold the health of one url of a tenant each. */
export const RECEIVER = 'receiver';

/** The id of a receiver: unique over all tenants. */
export const RECEIVER_ID_PATTERN = 'rcv_[0-9a-f]{16}';
export const RECEIVER_ID = new RegExp(`^${RECEIVER_ID_PATTERN}$`);
/** In the text of a delivery. A quotation mark inside a value is escaped. */
const IN_DELIVERY = new RegExp(`"receiver":"(${RECEIVER_ID_PATTERN})"`);

/** Returns the id of the receiver for a tenant's messages to a url. */
export function receiverId(tenant: string, url: string): string {
  return `rcv_${createHash('sha256').update(`${tenant}\n${url}`).digest('hex').slice(0, 16)}`;
}

/** Returns the id of the receiver of a stored delivery; undefined for one that is not a webhook. */
export function receiverIdIn({ frequent }: Pick<Listed, 'frequent'>): string | undefined {
  return IN_DELIVERY.exec(frequent)?.[1];
}

export function receiverAddress(tenant: string, id: string): Address {
  return { kind: RECEIVER, tenant, name: id };
}

const MINUTE_MS = 60_000;
/** Minutes of the figures. */
const KEPT_MINUTES = 60;
/** Interval of the checks that a receiver which fails, or had no answer yet, is still needed, ms. */
const CHECK_MS = 60_000;
const UNTRIED_CHECK_MS = 60 * 60_000;

/** The minute of a time in ms since the epoch. */
export function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS);
}

/** Returns the minutes of the last hour at `now`, oldest first. Those of one minute are added up. */
export function lastMinutes(minutes: readonly Minute[], now: number): readonly Minute[] {
  const newest = minuteOf(now);
  const sums = new Map<number, [tries: number, successes: number]>();
  for (const [minute, tries, successes] of minutes) {
    // A later minute is of a clock that was set back.
    if (minute <= newest - KEPT_MINUTES || minute > newest) continue;
    const [t, s] = sums.get(minute) ?? [0, 0];
    sums.set(minute, [t + tries, s + successes]);
  }
  return [...sums].map(([minute, [t, s]]): Minute => [minute, t, s]).toSorted(([a], [b]) => a - b);
}

type Change = Partial<ReceiverContext>;
type EventOf<T extends ReceiverEvent['type']> = Extract<ReceiverEvent, { readonly type: T }>;

/** Returns the state of a receiver. */
export function stateOf({ url, failing, forgotten }: ReceiverContext): 'new' | 'ok' | 'failing' | 'gone' {
  if (forgotten) return 'gone';
  if (url === undefined) return 'new';
  return failing === undefined ? 'ok' : 'failing';
}

/**
 * The machine of a receiver: `failing` from the first failed attempt until the next success, else `ok`; `gone` after `keepMs`
 * without an attempt, or with its subscription if it never had one. It takes answers of several nodes in any order.
 */
export function receiverMachine(keepMs: number) {
  return setup({
    types: { context: {} as ReceiverContext, events: {} as ReceiverEvent },
  }).createMachine({
    id: 'receiver',
    context: {
      url: undefined,
      untried: undefined,
      failing: undefined,
      succeededAt: undefined,
      worksSince: undefined,
      last: undefined,
      minutes: [],
      forgotten: false,
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'new',
    on: {
      tried: {
        actions: decides((context: ReceiverContext, event: TriedEvent) => tried(context, event, keepMs)),
      },
      subscribed: { actions: decides(subscribe) },
      checked: {
        actions: decides((context: ReceiverContext, event: EventOf<'checked'>) =>
          checked(context, event, keepMs),
        ),
      },
      wake: { actions: decides(wake) },
      erase: { guard: ({ context }) => context.url !== undefined, target: '.gone' },
    },
    states: { ...following(stateOf, ['new', 'ok', 'failing'], ['gone']), gone: {} },
  });
}

function tried(context: ReceiverContext, event: TriedEvent, keepMs: number): Change {
  const succeededAt = newer(context.succeededAt, event.succeededAt);
  const failing = failingAfter(context.failing, event.failing, succeededAt ?? -Infinity);
  const last = (event.last?.at ?? -Infinity) >= (context.last?.at ?? -Infinity) ? event.last : context.last;
  const minutes = lastMinutes([...context.minutes, ...event.minutes], event.now);
  const isStill = failing !== undefined && context.failing !== undefined;
  const wakeAt = isStill ? context.wakeAt : event.now + (failing === undefined ? keepMs : CHECK_MS);
  const worksSince = failing === undefined ? (context.worksSince ?? succeededAt ?? event.now) : undefined;
  const reply = failing === undefined ? 'ok' : 'failing';
  return {
    url: event.url,
    untried: undefined,
    succeededAt,
    worksSince,
    failing,
    last,
    minutes,
    wakeAt,
    reply,
  };
}

function failingAfter(before: Failing | undefined, added: Failing | undefined, succeededAt: number) {
  const still = before === undefined || succeededAt > before.at ? undefined : before;
  if (added === undefined || succeededAt > added.at) return still;
  if (still === undefined) return added;
  const newest = added.at >= still.at ? added : still;
  return { ...newest, since: Math.min(still.since, added.since) };
}

function newer(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}

function wake(context: ReceiverContext, { now }: EventOf<'wake'>): Change {
  if (context.wakeAt === undefined || context.wakeAt > now) return {};
  if (context.failing === undefined && context.untried === undefined)
    return { forgotten: true, wakeAt: undefined };
  const wakeAt = now + (context.failing === undefined ? UNTRIED_CHECK_MS : CHECK_MS);
  return { outbox: [{ id: 'check', type: 'check' }], wakeAt };
}

function subscribe(context: ReceiverContext, event: SubscribedEvent): Change {
  if (context.url !== undefined && context.untried === undefined) return {};
  const { url, server, subscriptionId, now } = event;
  const wakeAt = context.wakeAt ?? now + UNTRIED_CHECK_MS;
  return { url, untried: { server, subscriptionId }, worksSince: context.worksSince ?? now, wakeAt };
}

/** Nothing more is sent to a receiver that is not needed: it needs nobody. */
function checked(context: ReceiverContext, { needed, now }: EventOf<'checked'>, keepMs: number): Change {
  if (needed) return { outbox: [] };
  if (context.untried !== undefined) return { outbox: [], forgotten: true, wakeAt: undefined };
  return { outbox: [], failing: undefined, worksSince: now, wakeAt: now + keepMs };
}
