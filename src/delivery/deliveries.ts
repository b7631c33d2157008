import type { ActorKind } from '../actors/kind.js';
import type { Actors } from '../actors/runtime.js';
import { pages } from '../store/paging.js';
import { addressOf } from '../store/port.js';
import type { Address, Store } from '../store/port.js';
import type { AttemptEffect } from './effects.js';
import { deliveryMachine } from './machine.js';
import type { DeliveryContext, DeliveryEvent, DeliverySettings } from './machine.js';
import type { Answer, EmailMessage, Message, MirrorMessage, Sender, WebhookMessage } from './port.js';
import { countsRefusals, reportEffects } from './reporting.js';
import type { Reporting } from './reporting.js';
import { createSlots } from './slots.js';

/** Kind of the actors that deliver one message each. */
export const DELIVERY = 'delivery';

/**
 * Most attempts under way and waiting. The wait takes up a burst to a healthy receiver; with the attempt itself it stays
 * shorter than the time after which another node would take it for abandoned.
 */
const SLOTS = {
  perReceiver: 16,
  perTenant: 256,
  inAll: 2_048,
  waitingPerReceiver: 1_000,
  waitingPerTenant: 500,
  waitMs: 750,
};
/** Within what time a delivery that found no slot looks again, ms. */
const POSTPONE_MS = 5_000;
/** Within what time after a start everything that waits is tried, ms. */
const RESUME_MS = 8_000;
/** How many of them are told so together. */
const RESUME_PAGE = 50;

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
): ActorKind {
  const slots = createSlots(SLOTS);
  const attempt = async (
    _entry: AttemptEffect,
    context: DeliveryContext,
    address: Address,
  ): Promise<DeliveryEvent> => {
    const message = context.message!;
    const answer = await slots.run({ receiver: receiverOf(message), tenant: address.tenant }, () =>
      send(senders, address, message),
    );
    const now = clock.now();
    if (answer === undefined)
      return { type: 'postponed', now, until: now + 500 + Math.round(clock.random() * POSTPONE_MS) };
    const random = clock.random();
    if (answer.result !== 'delivered' || message.channel !== 'webhook')
      return { type: 'answered', now, answer, random };
    const endsRow = await countsRefusals(reporting.actors(), context.about);
    return { type: 'answered', now, answer, random, endsRow };
  };
  return {
    name: DELIVERY,
    version: 2,
    machine: deliveryMachine(settings),
    cold: ['message', 'about'],
    usual: 'delivered',
    gone: 'gone',
    effects: { attempt, ...reportEffects(reporting) },
    // Before, nobody was told of a failure, and dead letters stayed.
    migrate: ({ state, context }) => ({ state, context }),
  };
}

/**
 * Everything that waits for its next attempt gets one soon: whatever kept its receiver away may be over. Goes on beside
 * the service, however much waits, until it is through or closed. What cannot be hastened keeps the time it has.
 */
export function resumeDeliveries(
  actors: Actors,
  store: Store,
  clock: { now(): number; random(): number },
  onError: (error: unknown) => void,
): { close(): Promise<void> } {
  let closed = false;
  const startedAt = clock.now();

  const hasten = async (id: string): Promise<void> => {
    const now = clock.now();
    const until = Math.max(now, startedAt + Math.round(clock.random() * RESUME_MS));
    const event: DeliveryEvent = { type: 'hasten', now, until };
    await actors.tell(addressOf(id), event);
  };

  const resume = async (): Promise<void> => {
    const query = { kind: DELIVERY, state: 'waiting', limit: RESUME_PAGE };
    for await (const page of pages((after) => store.outline({ ...query, after }))) {
      await Promise.allSettled(page.map(({ id }) => hasten(id)));
      if (closed) return;
    }
  };
  const running = resume().catch(onError);

  return {
    close() {
      closed = true;
      return running;
    },
  };
}

/** Hands a message over to its own actor; resolves when that is durable. The same id again changes nothing. */
export async function handOver(
  actors: Actors,
  id: string,
  event: Extract<DeliveryEvent, { type: 'send' }>,
): Promise<void> {
  await actors.tell({ kind: DELIVERY, tenant: event.about.tenant, name: id }, event);
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

function receiverOf(message: Message): string {
  return message.channel === 'email' ? 'email' : new URL(message.url).origin;
}
