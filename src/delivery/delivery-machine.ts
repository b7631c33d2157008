import { setup } from 'xstate';
import { decides } from '../actors/decides.js';
import { isAudit } from '../actors/notes.js';
import { removePerformed } from '../actors/outbox.js';
import { nextAttemptAt } from './backoff.js';
import {
  attemptOf,
  type AnsweredEvent,
  type DeliveryContext,
  type DeliveryEvent,
  isOfSubscription,
  type ReleasedEvent,
  type DispatchEvent,
  triableSince,
} from './delivery.js';
import {
  type Change,
  type Given,
  isExpiring,
  isWithoutPermit,
  dispatched,
  confirm,
  dispatch,
  remember,
  released,
  release,
  lastingOf,
  isFree,
  releasedLast,
  over,
  leaving,
  end,
  tryAgain,
  tryNow,
  tried,
  postpone,
  expire,
  redeliver,
  renewing,
  replace,
} from './delivery-steps.js';

export interface DeliverySettings {
  /** Time without success after which a delivery is a dead letter, ms. */
  readonly giveUpMs: number;
  /** How long a delivered message is kept for operators, ms. */
  readonly keepMs: number;
  /** How long a dead letter is kept, ms. */
  readonly deadMs: number;
}

const OVERDUE = 'too many messages of its server were waiting: the oldest were not tried';

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
      renew: { actions: decides((): Change => ({ reply: 'busy' })) },
      erase: {
        guard: ({ context }) => isOfSubscription(context.about) && !context.outbox.some(isAudit),
        target: '.gone',
      },
    },
    states: {
      new: {
        on: {
          renew: renewing('new'),
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
          renew: [{ guard: ({ event }) => !event.urgent, actions: decides(replace) }, ...renewing('waiting')],
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
          renew: renewing('delivered'),
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
          renew: renewing('dead'),
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
