import type { ActorKind, EffectRun } from '../actors/kind.js';
import type { Actors } from '../actors/runtime.js';
import { actorId, addressOf } from '../store/port.js';
import type { Address, Store } from '../store/port.js';
import { nextDelayMs } from './backoff.js';
import { createDispatcher } from './queue/dispatcher.js';
import type { Dispatcher } from './queue/dispatcher.js';
import type { AttemptEffect } from './effects.js';
import { deliveryMachine } from './machine.js';
import type { DeliveryContext, DeliveryEvent, DeliverySettings, SendEvent } from './machine.js';
import type { Answer, EmailMessage, Message, MirrorMessage, Sender, WebhookMessage } from './port.js';
import { queueOf } from './queue/slots.js';
import { countsRefusals, reportEffects } from './reporting.js';
import type { Reporting } from './reporting.js';

/** Kind of the actors that deliver one message each. */
export const DELIVERY = 'delivery';

/** Most attempts under way on one node. */
const SLOTS = { perReceiver: 16, perTenant: 256, inAll: 2_048 };
/** Within what time a delivery that has lost the race for a slot looks again, ms. */
const POSTPONE_MS = 5_000;

export interface Senders {
  readonly webhook: Sender<WebhookMessage>;
  readonly email: Sender<EmailMessage>;
  readonly mirror: Sender<MirrorMessage>;
}

/**
 * The kind of the delivery actors: their effects are one attempt by the sender of the message's channel, and to tell
 * the endpoint of the subscription what became of the message.
 */
export function deliveryKind(
  senders: Senders,
  settings: DeliverySettings,
  clock: { now(): number; random(): number },
  reporting: Reporting,
  dispatcher: Pick<Dispatcher, 'claim' | 'expect' | 'ended'>,
): ActorKind {
  /** When the next attempt is due, as the machine will say; undefined where there is none. */
  const nextAttempt = (context: DeliveryContext, answer: Answer, random: number): number | undefined => {
    if (answer.result !== 'retry') return undefined;
    const delay = nextDelayMs({ attempt: context.tries + 1, random, retryAfterS: answer.retryAfterS });
    return Math.min(clock.now() + delay, context.since + settings.giveUpMs);
  };
  const attempt = async (
    _entry: AttemptEffect,
    context: DeliveryContext,
    { address, actors }: EffectRun,
  ): Promise<DeliveryEvent> => {
    const message = context.message!;
    const queue = queueOf(address.tenant, message);
    const free = dispatcher.claim(actorId(address), queue);
    if (free === undefined) {
      const now = clock.now();
      const until = now + 500 + Math.round(clock.random() * POSTPONE_MS);
      dispatcher.expect(queue, until);
      return { type: 'postponed', now, until };
    }
    const random = clock.random();
    let answer: Answer;
    try {
      answer = await send(senders, address, message);
      dispatcher.ended(queue, nextAttempt(context, answer, random));
    } finally {
      free();
    }
    const now = clock.now();
    if (answer.result !== 'delivered' || message.channel !== 'webhook')
      return { type: 'answered', now, answer, random };
    const endsRow = await countsRefusals(actors, context.about);
    return { type: 'answered', now, answer, random, endsRow };
  };
  return {
    name: DELIVERY,
    version: 2,
    machine: deliveryMachine(settings),
    rarelyWritten: ['message', 'about'],
    unindexedState: 'delivered',
    deletedState: 'gone',
    queue: (state, { message, about }: DeliveryContext) =>
      state === 'waiting' ? queueOf(about!.tenant, message!) : undefined,
    effects: { attempt, ...reportEffects(reporting) },
    // Before, nobody was told of a failure, and dead letters stayed.
    migrate: ({ state, context }) => ({ state, context }),
  };
}

/** Has messages delivered. */
export interface Deliveries {
  /** Hands a message over to its own actor; resolves when that is durable. The same id again changes nothing. */
  handOver(id: string, event: SendEvent): Promise<void>;
}

/** Makes it: a message whose receiver has no free slot begins to wait without an attempt. */
export function createDeliveries(
  actors: () => Actors,
  dispatcher: Dispatcher,
  clock: { now(): number },
): Deliveries {
  return {
    async handOver(name, event) {
      const { tenant } = event.about;
      const address = { kind: DELIVERY, tenant, name };
      if (event.overdue === true) return actors().ask(address, event);
      const id = actorId(address);
      const queue = queueOf(tenant, event.message);
      if (dispatcher.reserve(id, queue)) {
        await actors()
          .ask<void>(address, event)
          .finally(() => dispatcher.release(id));
      } else {
        const until = clock.now();
        const waiting: SendEvent = { ...event, until };
        await actors().ask(address, waiting);
        dispatcher.expect(queue, until);
      }
    },
  };
}

/** The dispatcher of the deliveries of one node, with the slots that the contract's receivers and tenants share. */
export function deliveryDispatcher(
  actors: () => Actors,
  store: Store,
  clock: { now(): number; random(): number },
  onError: (error: unknown) => void,
): Dispatcher {
  const grant = (id: string): Promise<unknown> => {
    const event: DeliveryEvent = { type: 'turn', now: clock.now() };
    return actors().ask(addressOf(id), event);
  };
  return createDispatcher({ store, clock, limits: SLOTS, grant, onError });
}

function send(senders: Senders, { name, tenant }: Address, message: Message): Promise<Answer> {
  switch (message.channel) {
    case 'webhook':
      return senders.webhook.send(name, message, tenant);
    case 'email':
      return senders.email.send(name, message, tenant);
    case 'mirror':
      return senders.mirror.send(name, message, tenant);
  }
}
