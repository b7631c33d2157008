import { setup } from 'xstate';
import { decides, following } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import { type PerformedEvent, removePerformed, without } from '../../actors/outbox.js';
import type { Address } from '../../store/port.js';
import type { AboutSubscription, RefusedDelivery } from '../delivery.js';

/**
 * The failed messages of one subscription: dead letters, and refusals in a row. It suspends the subscription. The health of the url
 * that the messages go to is the receiver's.
 */
export interface EndpointContext extends ActorContext {
  /** The server of the subscription; undefined before the first failure. */
  readonly server: string | undefined;
  /** Messages of the subscription that were refused for good since the last one that was delivered. */
  readonly refusals: number;
  /** Start of the suspension, ms since the epoch; undefined if the subscription is not suspended. */
  readonly suspended: number | undefined;
  /** Id of the receiver of the newest webhook that failed; undefined without one. */
  readonly receiver: string | undefined;
  /** Ids of the subscription's dead letters, oldest first. */
  readonly dead: readonly string[];
  readonly outbox: readonly EndpointEffect[];
}

export type EndpointEffect =
  /**
   * Tell the subscription's server to send no more messages. `since`: ms since the epoch; `refused`: the message whose refusal
   * suspends the subscription.
   */
  | (OutboxEntry & { readonly type: 'suspend'; readonly since: number; readonly refused: RefusedDelivery })
  /** Delete a dead letter above the limit. */
  | (OutboxEntry & { readonly type: 'drop'; readonly deliveryId: string })
  /** Check that the subscription and the dead letters still exist. */
  | (OutboxEntry & { readonly type: 'check' });

/** The effect of a type. */
export type EffectOf<T extends EndpointEffect['type']> = Extract<EndpointEffect, { readonly type: T }>;

/** A delivery has failed for good. The same delivery again changes nothing. */
interface FailedEvent extends ActorEvent {
  readonly type: 'failed';
  readonly deliveryId: string;
  readonly server: string;
  /** Id of the receiver; undefined for mails. */
  readonly receiver: string | undefined;
  /** Number of the fact that caused the message; null: none did. */
  readonly factId: number | null;
  /** The HTTP status of the receiver's refusal; undefined for any other failure, and for mails. */
  readonly status: number | undefined;
}

interface CheckedEvent extends ActorEvent {
  readonly type: 'checked';
  /** False if the subscription has ended. */
  readonly subscribed: boolean;
  /** The deliveries that are not dead letters any more. */
  readonly alive: readonly string[];
}

export type EndpointEvent =
  | FailedEvent
  | CheckedEvent
  | (ActorEvent &
      /** A message of the subscription was delivered. */
      (
        | { readonly type: 'delivered' }
        /** A delivery is not a dead letter any more. */
        | { readonly type: 'forget'; readonly deliveryId: string }
        /** Ends the suspension that began at `since`, ms since the epoch; any other suspension goes on. */
        | { readonly type: 'resume'; readonly since: number }
        /** The subscription is deleted with its server or its tenant, and its dead letters are. */
        | { readonly type: 'erase' }
        | { readonly type: 'wake' }
      ))
  | PerformedEvent;

/** Kind of the actors that hold the failed messages of one subscription each. */
export const ENDPOINT = 'endpoint';

/** The endpoint of a subscription. */
export function endpointOf({ tenant, subscriptionId }: Omit<AboutSubscription, 'server'>): Address {
  return { kind: ENDPOINT, tenant, name: subscriptionId };
}

/** Maximum number of dead letters of a subscription. */
const DEAD_LETTERS_LIMIT = 1_000;
/** Refusals in a row that suspend a subscription. */
const REFUSALS_LIMIT = 100;
/** The status of a receiver that is gone for good (RFC 9110 §15.5.11). */
const GONE = 410;
const CHECK = 'check';
const SUSPEND = 'suspend';

type Change = Partial<EndpointContext>;
type EventOf<T extends EndpointEvent['type']> = Extract<EndpointEvent, { readonly type: T }>;
/** Returns the state of an endpoint: `open` with dead letters or refusals; without any, `gone` after the first failure. */
export function stateOf(context: EndpointContext): 'new' | 'open' | 'suspended' | 'gone' {
  const { server, dead, refusals, suspended, outbox } = context;
  if (suspended !== undefined) return 'suspended';
  if (dead.length > 0 || refusals > 0 || outbox.length > 0) return 'open';
  return server === undefined ? 'new' : 'gone';
}

/**
 * The machine of an endpoint: `new` without anything to remember, `open` with dead letters or refusals, `suspended` until
 * the subscription is taken up again, `gone` when nothing is left to remember. `checkMs`: interval of the checks that the
 * subscription and the dead letters still exist.
 */
export function endpointMachine(checkMs: number) {
  return setup({
    types: { context: {} as EndpointContext, events: {} as EndpointEvent },
  }).createMachine({
    id: 'endpoint',
    context: {
      server: undefined,
      refusals: 0,
      suspended: undefined,
      receiver: undefined,
      dead: [],
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'new',
    on: {
      failed: {
        actions: decides((context: EndpointContext, event: FailedEvent) => fail(context, event, checkMs)),
      },
      delivered: { actions: decides(deliver) },
      forget: { actions: decides(forget) },
      resume: { actions: decides(resume) },
      erase: { guard: ({ context }) => context.server !== undefined, target: '.gone' },
      performed: { actions: decides(removePerformed) },
      checked: { actions: decides(check) },
      wake: {
        actions: decides((context: EndpointContext, event: EventOf<'wake'>) => wake(context, event, checkMs)),
      },
    },
    states: { ...following(stateOf, ['new', 'open', 'suspended'], ['gone']), gone: {} },
  });
}

function fail(context: EndpointContext, event: FailedEvent, checkMs: number): Change {
  const { deliveryId, server, factId, status, now } = event;
  if (context.dead.includes(deliveryId)) return {};
  const dead = [...context.dead, deliveryId];
  const beyond = dead.splice(0, Math.max(0, dead.length - DEAD_LETTERS_LIMIT));
  const drops = beyond.map((id): EndpointEffect => ({ id: `drop:${id}`, type: 'drop', deliveryId: id }));
  const refusals = context.refusals + (status === undefined ? 0 : 1);
  const outbox = [...context.outbox, ...drops];
  const wakeAt = context.wakeAt ?? now + checkMs;
  const receiver = event.receiver ?? context.receiver;
  const change = { server, receiver, dead, refusals, outbox, wakeAt };
  if (context.suspended !== undefined || (status !== GONE && refusals < REFUSALS_LIMIT)) return change;
  const refused = { deliveryId, factId };
  const suspend: EndpointEffect = { id: SUSPEND, type: 'suspend', since: now, refused };
  return { ...change, suspended: now, outbox: [...outbox, suspend] };
}

function deliver({ refusals }: EndpointContext): Change {
  return refusals > 0 ? { refusals: 0 } : {};
}

function forget({ dead }: EndpointContext, { deliveryId }: EventOf<'forget'>): Change {
  return dead.includes(deliveryId) ? { dead: dead.filter((id) => id !== deliveryId) } : {};
}

function resume(context: EndpointContext, { since }: EventOf<'resume'>): Change {
  return context.suspended === since ? openAgain(context) : {};
}

function wake(context: EndpointContext, { now }: EventOf<'wake'>, checkMs: number): Change {
  if (context.wakeAt === undefined || context.wakeAt > now) return {};
  return { outbox: [...without(context.outbox, CHECK), { id: CHECK, type: 'check' }], wakeAt: now + checkMs };
}

/** Repairs what a crash between two commits left, and ends the suspension of a subscription that has ended. */
function check(context: EndpointContext, { subscribed, alive }: CheckedEvent): Change {
  const change = {
    dead: alive.length === 0 ? context.dead : context.dead.filter((id) => !alive.includes(id)),
    outbox: without(context.outbox, CHECK),
  };
  return subscribed ? change : { ...change, ...openAgain({ ...context, ...change }) };
}

function openAgain(context: EndpointContext): Change {
  return { suspended: undefined, refusals: 0, outbox: without(context.outbox, SUSPEND) };
}
