import { Refusal } from '../../errors.js';
import { isEmail } from '../rules/rule.js';
import { emailOf, firingId, webhookOf } from './firing-messages.js';
import type { Firing } from './firing-messages.js';
import type { DeliverEffect, MailPause, ServerContext } from './server-context.js';

/** The messages that the facts of one request cause, and what limits them. */
export interface OutgoingMessages {
  readonly added: DeliverEffect[];
  /** The mail pauses after these messages. */
  readonly mail: Record<string, MailPause>;
  /** The outbox before these messages. */
  readonly outbox: ServerContext['outbox'];
  /** Bytes of the added messages; an upper bound until `measured`. */
  size: number;
  /** Bytes of the messages in the outbox; an upper bound until `measured`. */
  waiting: number;
  measured: boolean;
  /** Characters that further messages of the tenant may have. */
  room: number;
}

export interface MessageSettings {
  /** Minimum time between two e-mails of a subscription, ms. */
  readonly mailIntervalMs: number;
  /** Returns the address of the service for people. */
  readonly publicUrl: () => string;
}

/** Maximum bytes of the messages of one request, and of all messages in the outbox of a server: its document holds no more. */
const MESSAGES_LIMIT = 12 * 1024 * 1024;

/** Starts without messages. `room` is the number of characters that the tenant may still send. */
export function outgoingMessages({ mail, outbox }: ServerContext, room = Infinity): OutgoingMessages {
  const waiting = sumOf(outbox, mostBytesOf);
  return { added: [], mail: { ...mail }, outbox, size: 0, waiting, measured: false, room };
}

/**
 * Adds the webhook of a firing, and its e-mail unless the subscription sent one within the mail interval. Throws as soon
 * as a limit is passed, before further messages are made: `Refusal('too-large')` if the messages of the request alone
 * are too many, `Refusal('unavailable')` if messages in the outbox must leave first.
 */
export function addMessages(messages: OutgoingMessages, firing: Firing, settings: MessageSettings): void {
  const { rule, subscription } = firing.subscribed;
  const id = firingId({ ...firing, subscriptionId: subscription.id });
  const common = { type: 'deliver', subscriptionId: subscription.id, firedAt: firing.firedAt } as const;
  add(messages, { ...common, id, message: webhookOf(firing, id) });
  if (!isEmail(rule.action)) return;
  const pause = messages.mail[subscription.id];
  const silent = firing.firedAt - (pause?.at ?? -Infinity);
  // A negative silence means that the clock was set back. The mail must not wait for the old time to return.
  if (pause !== undefined && silent >= 0 && silent < settings.mailIntervalMs) {
    messages.mail[subscription.id] = { at: pause.at, quiet: pause.quiet + 1 };
    return;
  }
  const message = emailOf(firing, rule.action, pause?.quiet ?? 0, settings.publicUrl());
  add(messages, { ...common, id: `${id}_mail`, message });
  messages.mail[subscription.id] = { at: firing.firedAt, quiet: 0 };
}

function add(messages: OutgoingMessages, effect: DeliverEffect): void {
  messages.added.push(effect);
  messages.size += messages.measured ? bytesOf(effect) : mostBytesOf(effect);
  messages.room -= effect.message.body.length;
  if (messages.size + messages.waiting > MESSAGES_LIMIT && !messages.measured) {
    messages.measured = true;
    messages.size = sumOf(messages.added, bytesOf);
    messages.waiting = sumOf(messages.outbox, bytesOf);
  }
  if (messages.size > MESSAGES_LIMIT) {
    throw new Refusal(
      'too-large',
      'these measurements fire more messages than fit; send fewer of them together, or end some subscriptions',
    );
  }
  if (messages.size + messages.waiting > MESSAGES_LIMIT || messages.room < 0) {
    throw new Refusal(
      'unavailable',
      'too many messages wait to be handed over; nothing was done, try again in a second',
    );
  }
}

/** Returns the outbox with at most `limit` messages to deliver. The oldest beyond are marked as overdue. */
export function boundedOutbox(outbox: ServerContext['outbox'], limit: number): ServerContext['outbox'] {
  let beyond = outbox.filter((entry) => entry.type === 'deliver' && entry.overdue === undefined).length;
  beyond -= limit;
  if (beyond <= 0) return outbox;
  return outbox.map((entry) => {
    if (beyond <= 0 || entry.type !== 'deliver' || entry.overdue !== undefined) return entry;
    beyond -= 1;
    return { ...entry, overdue: true as const };
  });
}

/** Returns the characters of the messages in the outbox of a server. */
export function charactersWaiting({ outbox }: ServerContext): number {
  return sumOf(outbox, ({ message }) => message.body.length);
}

function sumOf(outbox: ServerContext['outbox'], size: (effect: DeliverEffect) => number): number {
  return outbox.reduce((sum, entry) => sum + (entry.type === 'deliver' ? size(entry) : 0), 0);
}

function bytesOf({ message }: DeliverEffect): number {
  return Buffer.byteLength(message.body);
}

/** A UTF-16 code unit takes at most three bytes of UTF-8. */
function mostBytesOf({ message }: DeliverEffect): number {
  return message.body.length * 3;
}
