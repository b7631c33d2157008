import { assign, setup } from 'xstate';
import type { ActorContext, ActorEvent } from '../actors/kind.js';
import type { Answer, Message } from './port.js';
import { nextDelayMs } from './backoff.js';
import type { DeliveryEffect } from './effects.js';

/** What a delivery knows of itself. */
export interface DeliveryContext extends ActorContext {
  readonly message: Message | undefined;
  /** What it is about, for operators: where it came from. */
  readonly about: About | undefined;
  /** When it was first to be sent, ms since the epoch; giving up counts from here. */
  readonly since: number;
  /** Number of attempts since then whose answer is known. */
  readonly tries: number;
  /** The newest attempts, newest last. */
  readonly attempts: readonly Attempt[];
  readonly outbox: readonly DeliveryEffect[];
}

/** The subscription that a message is for, or the transaction whose receipt it mirrors. */
export type About = AboutSubscription | { readonly tenant: string; readonly transactionHash: string };

/** The subscription that a message is for. */
export interface AboutSubscription {
  readonly tenant: string;
  readonly server: string;
  readonly subscriptionId: string;
}

/** False for the delivery of a mirrored receipt. */
export function isOfSubscription(about: About | undefined): about is AboutSubscription {
  return about !== undefined && 'subscriptionId' in about;
}

/** One attempt and what came of it. */
export interface Attempt {
  /** ms since the epoch. */
  readonly at: number;
  readonly result: Answer['result'] | 'overdue';
  readonly detail: string;
}

export type DeliveryEvent = ActorEvent &
  (
    | {
        readonly type: 'send';
        readonly message: Message;
        readonly about: About;
        readonly overdue?: boolean;
        /** Given where no slot is free for it: it waits from the start. */
        readonly until?: number;
      }
    /** `random` is uniform in [0, 1). */
    | {
        readonly type: 'answered';
        readonly answer: Answer;
        readonly random: number;
        /** True where the endpoint counts refusals, which end with a message that is taken. */
        readonly endsRow?: boolean;
      }
    /** No attempt was made: its receiver has too many under way. */
    | { readonly type: 'postponed'; readonly until: number }
    /** It has a slot: try now, whatever the back-off said. */
    | { readonly type: 'turn' }
    /** An operator sends a dead letter again. */
    | { readonly type: 'redeliver' }
    /** A dead letter is not wanted any more. */
    | { readonly type: 'discard' }
    /** The endpoint of the subscription knows what it was to be told. */
    | { readonly type: 'reported'; readonly entryId: string }
    /** The endpoint of the subscription knows that this dead letter goes. */
    | { readonly type: 'expired' }
    | { readonly type: 'wake' }
  );

type AnsweredEvent = Extract<DeliveryEvent, { readonly type: 'answered' }>;

/** A message is handed over. */
export type SendEvent = Extract<DeliveryEvent, { readonly type: 'send' }>;
type Reported = Extract<DeliveryEvent, { readonly type: 'reported' }>;

export interface DeliverySettings {
  /** After what time without success a delivery is a dead letter, ms. */
  readonly giveUpMs: number;
  /** How long a delivered message stays to be looked at, ms. */
  readonly keepMs: number;
  /** How long a dead letter stays, ms. */
  readonly deadMs: number;
}

/** Most attempts that are remembered. */
const ATTEMPTS_KEPT = 20;

/**
 * The machine of a delivery: `new`, `sending` while an attempt is under way, `waiting` for the next one, and then
 * `delivered`, or `dead` until an operator sends it again or discards it. Both are `gone` after a while.
 */
export function deliveryMachine(settings: DeliverySettings) {
  const trying = (tries: number) => ({
    outbox: [{ id: `attempt:${tries + 1}`, type: 'attempt' as const }],
    wakeAt: undefined,
  });
  const handed = ({ message, about, now: since }: SendEvent) => ({ message, about, since });
  const tried = (context: DeliveryContext, attempt: Attempt) => ({
    outbox: [],
    tries: context.tries + 1,
    attempts: [...context.attempts, attempt].slice(-ATTEMPTS_KEPT),
  });
  const dead = (now: number, about: About | undefined, status: number | undefined) => ({
    outbox: isOfSubscription(about) ? [{ id: `report:${now}`, type: 'report' as const, status }] : [],
    wakeAt: now + settings.deadMs,
  });
  const done = ({ context, event }: { context: DeliveryContext; event: Reported }) => ({
    outbox: context.outbox.filter(({ id }) => id !== event.entryId),
  });
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
            {
              guard: ({ event }) => event.overdue === true,
              target: 'dead',
              actions: assign(({ context, event }) => ({
                ...handed(event),
                ...tried(context, {
                  at: event.now,
                  result: 'overdue',
                  detail: 'too many messages of its server were waiting: the oldest were not tried',
                }),
                ...dead(event.now, event.about, undefined),
              })),
            },
            {
              guard: ({ event }) => event.until !== undefined,
              target: 'waiting',
              actions: assign(({ event }) => ({ ...handed(event), wakeAt: event.until })),
            },
            {
              target: 'sending',
              actions: assign(({ event }) => ({ ...handed(event), ...trying(0) })),
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
              actions: assign(({ context, event }) => ({
                ...tried(context, attemptOf(event)),
                outbox: event.endsRow === true ? [{ id: `taken:${event.now}`, type: 'taken' as const }] : [],
                wakeAt: event.now + settings.keepMs,
              })),
            },
            {
              guard: ({ context, event }) =>
                event.answer.result === 'refused' || event.now - context.since >= settings.giveUpMs,
              target: 'dead',
              actions: assign(({ context, event }) => ({
                ...tried(context, attemptOf(event)),
                ...dead(event.now, context.about, statusOf(event.answer)),
              })),
            },
            {
              target: 'waiting',
              actions: assign(({ context, event }) => {
                const { answer, random } = event;
                const retryAfterS = answer.result === 'retry' ? answer.retryAfterS : undefined;
                const next = event.now + nextDelayMs({ attempt: context.tries + 1, random, retryAfterS });
                return {
                  ...tried(context, attemptOf(event)),
                  // The last attempt comes when it is time to give up, however long the receiver asked to wait.
                  wakeAt: Math.min(next, context.since + settings.giveUpMs),
                };
              }),
            },
          ],
          postponed: {
            target: 'waiting',
            actions: assign(({ event }) => ({ outbox: [], wakeAt: event.until })),
          },
        },
      },
      waiting: {
        on: {
          wake: {
            guard: ({ context, event }) => context.wakeAt !== undefined && context.wakeAt <= event.now,
            target: 'sending',
            actions: assign(({ context }) => trying(context.tries)),
          },
          turn: { target: 'sending', actions: assign(({ context }) => trying(context.tries)) },
        },
      },
      delivered: {
        on: {
          wake: { guard: ({ context, event }) => (context.wakeAt ?? 0) <= event.now, target: 'gone' },
          reported: { actions: assign(done) },
        },
      },
      dead: {
        on: {
          wake: {
            guard: ({ context, event }) => context.wakeAt !== undefined && context.wakeAt <= event.now,
            actions: assign({ outbox: [{ id: 'expire', type: 'expire' as const }], wakeAt: undefined }),
          },
          reported: { actions: assign(done) },
          expired: { target: 'gone' },
          discard: { target: 'gone', actions: assign({ reply: true }) },
          redeliver: {
            target: 'sending',
            actions: assign(({ event }) => ({
              since: event.now,
              reply: true,
              tries: 0,
              ...trying(0),
            })),
          },
        },
      },
      gone: {},
    },
  });
}

function attemptOf({ now: at, answer: { result, detail } }: AnsweredEvent): Attempt {
  return { at, result, detail };
}

function statusOf(answer: Answer): number | undefined {
  return answer.result === 'refused' ? answer.status : undefined;
}
