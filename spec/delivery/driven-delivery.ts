import { expect } from 'chai';
import type { ActorKind } from '../../src/actors/kind.js';
import { deliveryAddress, type DeliveryContext, type DeliveryEvent } from '../../src/delivery/delivery.js';
import { deliveryKind, type DeliveryKindOptions } from '../../src/delivery/delivery-kind.js';
import type { Answer, EmailMessage, Message } from '../../src/delivery/port.js';
import { driveActor, type DrivenActor } from '../actors/stage/driven-actor.js';
import { FREE_PERMITS } from './queue/free-permits.js';

/** A delivery, written to a document and restored after each change. */
export type Delivery = DrivenActor<DeliveryContext, DeliveryEvent>;

export const NOON = Date.UTC(2026, 0, 15, 12);
export const GIVE_UP = 86_400_000;
export const KEEP = 3_600_000;
export const DEAD = 30 * 86_400_000;

export const WEBHOOK: Message = { channel: 'webhook', url: 'https://example.org/hook', body: '{"x":1}' };
export const MAIL: EmailMessage = {
  channel: 'email',
  to: 'a@b.c',
  state: 'firing',
  subject: 's',
  headline: 'h',
  reason: 'r',
  body: 'b',
  facts: [['When', 'now']],
};
export const ABOUT = { tenant: 'acme', server: 'web-1', subscriptionId: 's1', factId: 1 };

export const DELIVERED: Answer = { result: 'delivered', detail: '200 in 3 ms' };
export const REFUSED: Answer = { result: 'refused', detail: '404 in 3 ms', status: 404 };
export const RETRY = { result: 'retry', detail: '503 in 3 ms' } as const satisfies Answer;

/** Receivers whose health is of no interest. */
const UNWATCHED: DeliveryKindOptions['receivers'] = {
  answered: () => {},
  failed: async () => {},
};

/** The kind of the deliveries for a machine alone; `more` for its effects. */
export function drivenDeliveryKind(more: Partial<DeliveryKindOptions> = {}): ActorKind {
  const idle = {
    send: (): never => {
      throw new Error('a machine alone sends nothing');
    },
    close: async () => {},
  };
  return deliveryKind({
    senders: { webhook: idle, email: idle, mirror: idle },
    settings: { giveUpMs: GIVE_UP, keepMs: KEEP, deadMs: DEAD },
    clock: { now: () => NOON, random: () => 0 },
    dispatcher: FREE_PERMITS,
    receivers: UNWATCHED,
    onAttempt: () => {},
    onDeadLetterEnded: () => {
      throw new Error('a machine alone deletes no dead letter');
    },
    ...more,
  });
}

/** A delivery without a message. */
export function newDelivery(): Delivery {
  return driveActor(drivenDeliveryKind(), deliveryAddress('acme', 'msg_1'));
}

export const send = (delivery: Delivery, message: Message = WEBHOOK, now = NOON) =>
  delivery.ask({ type: 'dispatch', now, message, about: ABOUT });
export const answer = (delivery: Delivery, given: Answer, now = NOON, random = 0.5) =>
  delivery.ask({ type: 'answered', now, answer: given, random });
export const wake = (delivery: Delivery, now: number) => delivery.ask({ type: 'wake', now });

/** A delivery in a state. */
export function deliveryIn(state: 'new' | 'sending' | 'waiting' | 'delivered' | 'dead' | 'gone'): Delivery {
  const delivery = newDelivery();
  if (state !== 'new') send(delivery);
  if (state === 'waiting') answer(delivery, RETRY);
  if (state === 'dead') answer(delivery, REFUSED);
  if (state === 'delivered' || state === 'gone') answer(delivery, DELIVERED);
  if (state === 'gone') wake(delivery, NOON + KEEP);
  expect(delivery.state).to.equal(state);
  return delivery;
}
