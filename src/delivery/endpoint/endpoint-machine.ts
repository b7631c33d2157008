import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';

/** What is known of the receiver of a subscription's messages. */
export interface EndpointContext extends ActorContext {
  /** The server of the subscription; undefined before anything is known. */
  readonly server: string | undefined;
  /** Messages that the receiver has refused for good since it took one. */
  readonly refusals: number;
  /** Since when the subscription is suspended, ms since the epoch. */
  readonly suspended: number | undefined;
  /** Ids of the subscription's dead letters, those that died first in front. */
  readonly dead: readonly string[];
  readonly outbox: readonly EndpointEffect[];
}

/** Tell the subscription's server that what fires from now on is not to be sent. */
export interface SuspendEffect extends OutboxEntry {
  readonly type: 'suspend';
  /** ms since the epoch. */
  readonly since: number;
}

/** End a dead letter that is one too many. */
export interface DropEffect extends OutboxEntry {
  readonly type: 'drop';
  readonly deliveryId: string;
}

/** See whether the subscription is still there, and which of the dead letters. */
export interface CheckEffect extends OutboxEntry {
  readonly type: 'check';
}

export type EndpointEffect = SuspendEffect | DropEffect | CheckEffect;

export type EndpointEvent = ActorEvent &
  (
    | {
        /** A delivery has failed for good. The same delivery again changes nothing. */
        readonly type: 'failed';
        readonly deliveryId: string;
        readonly server: string;
        /** With which HTTP status the receiver refused it; undefined where it failed otherwise, and for mails. */
        readonly status: number | undefined;
      }
    /** The receiver has taken a message. */
    | { readonly type: 'taken' }
    /** A delivery is no dead letter any more. */
    | { readonly type: 'forget'; readonly deliveryId: string }
    /** The subscription is taken up again after the suspension that began at `since`. */
    | { readonly type: 'resume'; readonly since: number }
    | { readonly type: 'performed'; readonly entryId: string }
    | {
        readonly type: 'checked';
        /** False where the subscription has ended. */
        readonly subscribed: boolean;
        /** Those of the deliveries that are no dead letters any more. */
        readonly alive: readonly string[];
      }
    | { readonly type: 'wake' }
  );

export interface EndpointSettings {
  /** After what time it is checked that the subscription and the dead letters are still there, ms. */
  readonly checkMs: number;
}

/** Most dead letters of a subscription. */
const DEAD_LETTERS_LIMIT = 1_000;
/** As many refusals in a row suspend a subscription. */
const REFUSALS_LIMIT = 100;
/** The status of a receiver that is not there any more, for good (RFC 9110 §15.5.11). */
const GONE = 410;
const CHECK = 'check';
const SUSPEND = 'suspend';

type Change = Partial<EndpointContext>;
type Of<T extends EndpointEvent['type']> = Extract<EndpointEvent, { type: T }>;
type Seen = { readonly context: EndpointContext };

/**
 * The machine of an endpoint, the receiver of one subscription's messages: `new` while nothing is known of it, `open`
 * with dead letters or refusals in a row, `suspended` until the subscription is taken up again. It is `gone` when
 * nothing is left to be known.
 */
export function endpointMachine({ checkMs }: EndpointSettings) {
  return setup({
    types: { context: {} as EndpointContext, events: {} as EndpointEvent },
  }).createMachine({
    id: 'endpoint',
    context: {
      server: undefined,
      refusals: 0,
      suspended: undefined,
      dead: [],
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'new',
    on: {
      failed: {
        actions: decides((context: EndpointContext, event: Of<'failed'>) => failed(context, event, checkMs)),
      },
      taken: {
        actions: decides((context: EndpointContext): Change => (context.refusals > 0 ? { refusals: 0 } : {})),
      },
      forget: { actions: decides(forget) },
      resume: { actions: decides(resume) },
      performed: { actions: decides(performed) },
      checked: { actions: decides(checked) },
      wake: {
        actions: decides((context: EndpointContext, event: Of<'wake'>) => wake(context, event, checkMs)),
      },
    },
    states: {
      new: {
        always: [
          { guard: isSuspended, target: 'suspended' },
          { guard: isSomething, target: 'open' },
        ],
      },
      open: {
        always: [
          { guard: isSuspended, target: 'suspended' },
          { guard: isNothing, target: 'gone' },
        ],
      },
      suspended: {
        always: [
          { guard: isNothing, target: 'gone' },
          { guard: isResumed, target: 'open' },
        ],
      },
      gone: {},
    },
  });
}

function isSuspended({ context }: Seen): boolean {
  return context.suspended !== undefined;
}

function isResumed({ context }: Seen): boolean {
  return context.suspended === undefined;
}

function isNothing({ context }: Seen): boolean {
  const { dead, refusals, suspended, outbox } = context;
  return dead.length === 0 && refusals === 0 && suspended === undefined && outbox.length === 0;
}

function isSomething(seen: Seen): boolean {
  return !isNothing(seen);
}

function failed(context: EndpointContext, event: Of<'failed'>, checkMs: number): Change {
  const { deliveryId, server, status, now } = event;
  if (context.dead.includes(deliveryId)) return {};
  const dead = [...context.dead, deliveryId];
  const beyond = dead.splice(0, Math.max(0, dead.length - DEAD_LETTERS_LIMIT));
  const drops = beyond.map((id): DropEffect => ({ id: `drop:${id}`, type: 'drop', deliveryId: id }));
  const refusals = context.refusals + (status === undefined ? 0 : 1);
  const outbox = [...context.outbox, ...drops];
  const wakeAt = context.wakeAt ?? now + checkMs;
  const change = { server, dead, refusals, outbox, wakeAt };
  if (context.suspended !== undefined || (status !== GONE && refusals < REFUSALS_LIMIT)) return change;
  const suspend: SuspendEffect = { id: SUSPEND, type: 'suspend', since: now };
  return { ...change, suspended: now, outbox: [...outbox, suspend] };
}

function forget(context: EndpointContext, { deliveryId }: Of<'forget'>): Change {
  if (!context.dead.includes(deliveryId)) return {};
  return { dead: context.dead.filter((id) => id !== deliveryId) };
}

/** A resumption that comes late, after the next suspension, has nothing to say of that one. */
function resume(context: EndpointContext, { since }: Of<'resume'>): Change {
  return context.suspended === since ? openAgain(context, SUSPEND) : {};
}

function performed(context: EndpointContext, { entryId }: Of<'performed'>): Change {
  return { outbox: without(context, entryId) };
}

function wake(context: EndpointContext, { now }: Of<'wake'>, checkMs: number): Change {
  if (context.wakeAt === undefined || context.wakeAt > now) return {};
  return {
    outbox: [...without(context, CHECK), { id: CHECK, type: 'check' }],
    wakeAt: now + checkMs,
  };
}

/** What a crash between two commits left, or the end of the subscription, is put right. */
function checked(context: EndpointContext, { subscribed, alive }: Of<'checked'>): Change {
  const change = {
    dead: alive.length === 0 ? context.dead : context.dead.filter((id) => !alive.includes(id)),
    outbox: without(context, CHECK),
  };
  return subscribed ? change : { ...change, ...openAgain({ ...context, ...change }, SUSPEND) };
}

function openAgain(context: EndpointContext, entryId: string): Change {
  return { suspended: undefined, refusals: 0, outbox: without(context, entryId) };
}

function without({ outbox }: EndpointContext, entryId: string): readonly EndpointEffect[] {
  return outbox.filter((entry) => entry.id !== entryId);
}
