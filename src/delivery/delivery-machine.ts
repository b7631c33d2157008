import { setup } from 'xstate';
import { decides } from '../actors/decides.js';
import { removePerformed } from '../actors/outbox.js';
import { nextAttemptAt } from './backoff.js';
import { isOfSubscription } from './delivery.js';
import type {
  About,
  AnsweredEvent,
  Attempt,
  DeliveryContext,
  DeliveryEvent,
  PostponedEvent,
  SendEvent,
} from './delivery.js';

export interface DeliverySettings {
  /** Time without success after which a delivery is a dead letter, ms. */
  readonly giveUpMs: number;
  /** How long a delivered message is kept for operators, ms. */
  readonly keepMs: number;
  /** How long a dead letter is kept, ms. */
  readonly deadMs: number;
}

/** Most attempts that are kept. */
const ATTEMPTS_KEPT = 20;
const OVERDUE = 'too many messages of its server were waiting: the oldest were not tried';

type Change = Partial<DeliveryContext>;
type Given<E = DeliveryEvent> = { readonly context: DeliveryContext; readonly event: E };

/**
 * The machine of a delivery: `new`, `sending` during an attempt, `waiting` for the next one, then `delivered`, or `dead`
 * until an operator sends it again or discards it. Both become `gone` after their time.
 */
export function deliveryMachine({ giveUpMs, keepMs, deadMs }: DeliverySettings) {
  const isDue = ({ context, event }: Given): boolean => (context.wakeAt ?? Infinity) <= event.now;

  const isDead = ({ context, event }: Given<AnsweredEvent>): boolean =>
    event.answer.result === 'refused' || event.now - context.since >= giveUpMs;

  const dead = (now: number, about: About | undefined, status: number | undefined): Change => ({
    outbox: isOfSubscription(about) ? [{ id: `report:${now}`, type: 'report', status }] : [],
    wakeAt: now + deadMs,
  });

  const sendOverdue = (context: DeliveryContext, event: SendEvent): Change => ({
    ...handedOver(event),
    ...tried(context, { at: event.now, result: 'overdue', detail: OVERDUE }),
    ...dead(event.now, event.about, undefined),
  });

  const deliver = (context: DeliveryContext, event: AnsweredEvent): Change => ({
    ...tried(context, attemptOf(event)),
    outbox: event.endsRefusals === true ? [{ id: `delivered:${event.now}`, type: 'delivered' }] : [],
    wakeAt: event.now + keepMs,
  });

  const giveUp = (context: DeliveryContext, event: AnsweredEvent): Change => {
    const { answer, now } = event;
    const status = answer.result === 'refused' ? answer.status : undefined;
    return { ...tried(context, attemptOf(event)), ...dead(now, context.about, status) };
  };

  const retry = (context: DeliveryContext, event: AnsweredEvent): Change => {
    const { answer, random, now } = event;
    if (answer.result !== 'retry') return {};
    const { tries, since } = context;
    const wakeAt = nextAttemptAt({ answer, tries, random, now, giveUpAt: since + giveUpMs });
    return { ...tried(context, attemptOf(event)), wakeAt };
  };

  return setup({
    types: { context: {} as DeliveryContext, events: {} as DeliveryEvent },
  }).createMachine({
    id: 'delivery',
    context: {
      message: undefined,
      about: undefined,
      since: 0,
      tries: 0,
      attempts: [],
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'new',
    states: {
      new: {
        on: {
          send: [
            { guard: ({ event }) => event.overdue === true, target: 'dead', actions: decides(sendOverdue) },
            {
              guard: ({ event }) => event.until !== undefined,
              target: 'waiting',
              actions: decides((_: DeliveryContext, event: SendEvent) => ({
                ...handedOver(event),
                wakeAt: event.until,
              })),
            },
            {
              target: 'sending',
              actions: decides((_: DeliveryContext, event: SendEvent) => ({
                ...handedOver(event),
                ...attempt(0),
              })),
            },
          ],
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
        },
      },
      waiting: {
        on: {
          wake: { guard: isDue, target: 'sending', actions: decides(tryAgain) },
          granted: { target: 'sending', actions: decides(tryAgain) },
        },
      },
      delivered: {
        on: {
          wake: { guard: isDue, target: 'gone' },
          performed: { actions: decides(removePerformed) },
        },
      },
      dead: {
        on: {
          wake: { guard: isDue, actions: decides(expire) },
          performed: { actions: decides(removePerformed) },
          // A redelivery may have come in between: this is another dead letter then.
          expired: { guard: isExpiring, target: 'gone' },
          discard: { target: 'gone', actions: decides((): Change => ({ reply: true })) },
          redeliver: { target: 'sending', actions: decides(redeliver) },
        },
      },
      gone: {},
    },
  });
}

function isExpiring({ context }: Given): boolean {
  return context.outbox.some(({ type }) => type === 'expire');
}

function handedOver({ message, about, now: since }: SendEvent): Change {
  return { message, about, since };
}

function attempt(tries: number): Change {
  return { outbox: [{ id: `attempt:${tries + 1}`, type: 'attempt' }], wakeAt: undefined };
}

function tryAgain({ tries }: DeliveryContext): Change {
  return attempt(tries);
}

function tried({ tries, attempts }: DeliveryContext, newest: Attempt): Change {
  return { outbox: [], tries: tries + 1, attempts: [...attempts, newest].slice(-ATTEMPTS_KEPT) };
}

function attemptOf({ now: at, answer: { result, detail } }: AnsweredEvent): Attempt {
  return { at, result, detail };
}

function postpone(_context: DeliveryContext, { until }: PostponedEvent): Change {
  return { outbox: [], wakeAt: until };
}

function expire(): Change {
  return { outbox: [{ id: 'expire', type: 'expire' }], wakeAt: undefined };
}

function redeliver(_context: DeliveryContext, { now }: DeliveryEvent): Change {
  return { since: now, reply: true, tries: 0, ...attempt(0) };
}
