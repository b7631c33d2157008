import { setup } from 'xstate';
import { decides } from '../actors/decides.js';
import { isAudit } from '../actors/notes.js';
import { type PerformedEvent, removePerformed } from '../actors/outbox.js';
import { nextAttemptAt } from './backoff.js';
import {
  type AnsweredEvent,
  type Attempt,
  attemptOf,
  type DeliveryContext,
  type DeliveryEffect,
  type DeliveryEvent,
  type EventOf,
  isOfSubscription,
  needsOf,
  type ReleasedEvent,
  type DispatchEvent,
  triableSince,
} from './delivery.js';
import { isPending } from './order.js';
import { receiverId } from './receiver/receiver-machine.js';

export interface DeliverySettings {
  /** Time without success after which a delivery is a dead letter, ms. */
  readonly giveUpMs: number;
  /** How long a delivered message is kept for operators, ms. */
  readonly keepMs: number;
  /** How long a dead letter is kept, ms. */
  readonly deadMs: number;
}

/** Maximum number of attempts that are kept. */
const ATTEMPTS_KEPT = 20;
const OVERDUE = 'too many messages of its server were waiting: the oldest were not tried';

type Change = Partial<DeliveryContext>;
type Given<E = DeliveryEvent> = { readonly context: DeliveryContext; readonly event: E };

/**
 * The machine of a delivery: `new`, `blocked` by an earlier message, `sending` during an attempt, `waiting` for the
 * next one, then `delivered` or `dead`. A `dead` delivery stays until somebody redelivers or discards it. After
 * their time, both become `gone`. If the next message is not released by then, they are `ending` until it is. A pending
 * delivery that is discarded is `dropped` until its attempt is answered, or until the message before it is over.
 */
export function deliveryMachine({ giveUpMs, keepMs, deadMs }: DeliverySettings) {
  const isDue = ({ context, event }: Given): boolean => (context.wakeAt ?? Infinity) <= event.now;

  const isDead = ({ context, event }: Given<AnsweredEvent>): boolean =>
    event.answer.result === 'refused' || event.now - triableSince(context) >= giveUpMs;

  const dead = (context: DeliveryContext, now: number, status?: number): Change => ({
    ...over(
      context,
      isOfSubscription(context.about) ? [{ id: `report:${now}`, type: 'report', status }] : [],
    ),
    wakeAt: now + deadMs,
  });

  /**
   * After an outage in which commits fail, a message can stay blocked although it waits for no other. It therefore
   * joins the order again after this time.
   */
  const join = (context: DeliveryContext, { now }: DeliveryEvent): Change => ({
    outbox: [...lastingOf(context), { id: 'join', type: 'join' }],
    wakeAt: now + giveUpMs,
  });

  const dispatchBlocked = (context: DeliveryContext, event: DispatchEvent): Change => ({
    ...dispatched(event),
    ...join(context, event),
    ...(event.overdue === true ? { overdue: true } : {}),
  });

  const refuseOverdue = (context: DeliveryContext, begins: Change, now: number): Change => ({
    ...begins,
    ...tried(context, { at: now, result: 'overdue', detail: OVERDUE }),
    ...dead({ ...context, ...begins }, now),
  });

  const dispatchOverdue = (context: DeliveryContext, event: DispatchEvent): Change =>
    refuseOverdue(context, dispatched(event), event.now);

  const releaseOverdue = (context: DeliveryContext, event: ReleasedEvent): Change =>
    refuseOverdue(context, { ...released(event), outbox: lastingOf(context) }, event.now);

  const deliver = (context: DeliveryContext, event: AnsweredEvent): Change => ({
    ...tried(context, attemptOf(event)),
    ...over(
      context,
      event.endsRefusals === true ? [{ id: `delivered:${event.now}`, type: 'delivered' }] : [],
    ),
    wakeAt: event.now + keepMs,
  });

  const giveUp = (context: DeliveryContext, event: AnsweredEvent): Change => {
    const { answer, now } = event;
    const status = answer.result === 'refused' ? answer.status : undefined;
    return { ...tried(context, attemptOf(event)), ...dead(context, now, status) };
  };

  const retry = (context: DeliveryContext, event: AnsweredEvent): Change => {
    const { answer, random, now } = event;
    if (answer.result !== 'retry') return {};
    const wakeAt = nextAttemptAt(context, { answer, random, now }, giveUpMs);
    return { ...tried(context, attemptOf(event)), wakeAt };
  };

  return setup({
    types: { context: {} as DeliveryContext, events: {} as DeliveryEvent },
  }).createMachine({
    id: 'delivery',
    context: {
      message: undefined,
      about: undefined,
      receiver: undefined,
      since: 0,
      after: undefined,
      overdue: undefined,
      released: undefined,
      next: undefined,
      redelivered: undefined,
      tries: 0,
      attempts: [],
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'new',
    on: {
      follow: { actions: decides((): Change => ({ reply: false })) },
      erase: {
        guard: ({ context }) => isOfSubscription(context.about) && !context.outbox.some(isAudit),
        target: '.gone',
      },
    },
    states: {
      new: {
        on: {
          dispatch: [
            {
              guard: ({ event }) => event.after !== undefined,
              target: 'blocked',
              actions: decides(dispatchBlocked),
            },
            {
              guard: ({ event }) => event.overdue === true,
              target: 'dead',
              actions: decides(dispatchOverdue),
            },
            { guard: isWithoutPermit, target: 'waiting', actions: decides(dispatch) },
            { target: 'sending', actions: decides(dispatch) },
          ],
        },
      },
      blocked: {
        on: {
          follow: { actions: decides(remember) },
          joined: {
            actions: decides((context: DeliveryContext): Change => ({ outbox: lastingOf(context) })),
          },
          released: [
            {
              guard: ({ context }) => context.overdue === true,
              target: 'dead',
              actions: decides(releaseOverdue),
            },
            { guard: isWithoutPermit, target: 'waiting', actions: decides(release) },
            { target: 'sending', actions: decides(release) },
          ],
          wake: { guard: isDue, actions: decides(join) },
          discard: { target: 'dropped', actions: decides(confirm) },
        },
      },
      sending: {
        on: {
          answered: [
            {
              guard: ({ event }) => event.answer.result === 'delivered',
              target: 'delivered',
              actions: decides(deliver),
            },
            { guard: isDead, target: 'dead', actions: decides(giveUp) },
            { target: 'waiting', actions: decides(retry) },
          ],
          postponed: { target: 'waiting', actions: decides(postpone) },
          performed: { actions: decides(removePerformed) },
          follow: { actions: decides(remember) },
          try: { actions: decides(confirm) },
          resend: { actions: decides(confirm) },
          discard: { target: 'dropped', actions: decides(confirm) },
        },
      },
      waiting: {
        on: {
          wake: { guard: isDue, target: 'sending', actions: decides(tryAgain) },
          acquired: { target: 'sending', actions: decides(tryAgain) },
          performed: { actions: decides(removePerformed) },
          follow: { actions: decides(remember) },
          try: { actions: decides(tryNow) },
          resend: { actions: decides(tryNow) },
          discard: leaving(confirm),
        },
      },
      dropped: {
        on: {
          answered: [
            {
              guard: ({ event }) => event.answer.result === 'delivered',
              target: 'delivered',
              actions: decides(deliver),
            },
            ...leaving(),
          ],
          postponed: leaving(),
          released: leaving(),
          performed: { actions: decides(removePerformed) },
          joined: {
            actions: decides((context: DeliveryContext): Change => ({ outbox: lastingOf(context) })),
          },
          follow: { actions: decides(remember) },
          wake: { guard: isDue, actions: decides(join) },
        },
      },
      delivered: {
        on: {
          wake: [
            { guard: (given) => isDue(given) && isFree(given), target: 'gone' },
            { guard: isDue, target: 'ending', actions: decides(end) },
          ],
          performed: { actions: decides(removePerformed) },
          resend: { target: 'sending', actions: decides(redeliver) },
        },
      },
      dead: {
        on: {
          wake: { guard: isDue, actions: decides(expire) },
          performed: { actions: decides(removePerformed) },
          // If a redelivery came in between, this is another dead letter.
          expired: [
            { guard: (given) => isExpiring(given) && isFree(given), target: 'gone' },
            { guard: isExpiring, target: 'ending', actions: decides(end) },
          ],
          discard: leaving(confirm),
          drop: leaving(confirm),
          redeliver: { target: 'sending', actions: decides(redeliver) },
          resend: { target: 'sending', actions: decides(redeliver) },
        },
      },
      ending: {
        on: {
          performed: [
            { guard: releasedLast, target: 'gone', actions: decides(removePerformed) },
            { actions: decides(removePerformed) },
          ],
        },
      },
      gone: {},
    },
  });
}

function isExpiring({ context }: Given): boolean {
  return context.outbox.some(({ type }) => type === 'expire');
}

/** True for an event that has no permit for the delivery. */
function isWithoutPermit({ event }: { readonly event: DeliveryEvent }): boolean {
  return 'until' in event && event.until !== undefined;
}

function dispatched({ message, about, now: since, after }: DispatchEvent): Change {
  const receiver = message.channel === 'webhook' ? receiverId(about.tenant, message.url) : undefined;
  return { message, about, receiver, since, after, ...needsOf(message) };
}

/** Replies that a request was carried out. */
function confirm(): Change {
  return { reply: true };
}

function dispatch(context: DeliveryContext, event: DispatchEvent): Change {
  return { ...dispatched(event), ...begun(context, event) };
}

/** Makes the first attempt, or waits for a permit. */
function begun(context: DeliveryContext, { until }: DispatchEvent | ReleasedEvent): Change {
  return until === undefined ? attempt(context, 0) : { outbox: lastingOf(context), wakeAt: until };
}

/** Stores which message waits for this pending delivery. */
function remember(context: DeliveryContext, { successor }: EventOf<'follow'>): Change {
  return isPending('waiting', context) ? { next: successor, reply: true } : { reply: false };
}

function released({ now }: ReleasedEvent): Change {
  return { after: undefined, released: now };
}

function release(context: DeliveryContext, event: ReleasedEvent): Change {
  return { ...released(event), ...begun(context, event) };
}

/** True for an entry that leaves the outbox once it is performed, and never before. */
function isLasting(entry: DeliveryEffect): boolean {
  return entry.type === 'release' || isAudit(entry);
}

/** The releases, and the changes for the audit, that are not performed yet. No other entry may remove them from the outbox. */
function lastingOf({ outbox }: DeliveryContext): readonly DeliveryEffect[] {
  return outbox.length === 0 ? outbox : outbox.filter(isLasting);
}

/** True if no message waits for its release, and every change is in the audit: the delivery can be deleted. */
function isFree({ context }: { readonly context: DeliveryContext }): boolean {
  return !context.outbox.some(isLasting);
}

function releasedLast({
  context,
  event,
}: {
  readonly context: DeliveryContext;
  readonly event: PerformedEvent;
}): boolean {
  return isFree({ context: { ...context, ...removePerformed(context, event) } });
}

/** Ends a delivery: the message that waits for it is released. */
function over(context: DeliveryContext, added: readonly DeliveryEffect[]): Change {
  const outbox = [...lastingOf(context), ...added];
  const { next: successor } = context;
  if (successor === undefined) return { outbox };
  return { outbox: [{ id: `release:${successor}`, type: 'release', successor }, ...outbox], next: undefined };
}

/** The transitions that delete a pending delivery: once the message that waits for it is released. */
function leaving(reply: () => Change = () => ({})) {
  const isLast = ({ context, event }: Given): boolean =>
    context.next === undefined && event.author === undefined && isFree({ context });
  const leave = (context: DeliveryContext): Change => ({
    ...over(context, []),
    wakeAt: undefined,
    ...reply(),
  });
  return [
    { guard: isLast, target: 'gone', actions: decides(leave) },
    { target: 'ending', actions: decides(leave) },
  ] as const;
}

/** Keeps a delivery until the message that waits for it is released. */
function end(context: DeliveryContext): Change {
  return { outbox: lastingOf(context), wakeAt: undefined };
}

function attempt(context: DeliveryContext, tries: number): Change {
  return {
    outbox: [...lastingOf(context), { id: `attempt:${tries + 1}`, type: 'attempt' }],
    wakeAt: undefined,
  };
}

function tryAgain(context: DeliveryContext): Change {
  return attempt(context, context.tries);
}

/** It stays in its queue: a permit is given as for any other attempt. */
function tryNow(_: DeliveryContext, { now }: DeliveryEvent): Change {
  return { wakeAt: now, reply: true };
}

function tried(context: DeliveryContext, newest: Attempt): Change {
  const { tries, attempts } = context;
  return {
    outbox: lastingOf(context),
    tries: tries + 1,
    attempts: [...attempts, newest].slice(-ATTEMPTS_KEPT),
  };
}

function postpone(context: DeliveryContext, { until }: EventOf<'postponed'>): Change {
  return { outbox: lastingOf(context), wakeAt: until };
}

function expire(context: DeliveryContext): Change {
  return { outbox: [...lastingOf(context), { id: 'expire', type: 'expire' }], wakeAt: undefined };
}

function redeliver(context: DeliveryContext, { now }: DeliveryEvent): Change {
  return {
    since: now,
    released: undefined,
    redelivered: true,
    reply: true,
    tries: 0,
    ...attempt(context, 0),
  };
}
