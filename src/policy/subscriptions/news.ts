import { Refusal } from '../../errors.js';
import type { DeliverEffect, MailPause, ServerContext } from '../server/server-context.js';

/** What the firings of one request come to. */
export interface News {
  readonly messages: DeliverEffect[];
  /** The mail pauses as they are after it. */
  readonly mail: Record<string, MailPause>;
  /** What waits to be handed over already. */
  readonly outbox: ServerContext['outbox'];
  /** Bytes of the messages; as long as they are not `measured`, the most that their characters can have. */
  size: number;
  /** The same of those that wait already. */
  waiting: number;
  measured: boolean;
  /** Characters of messages that there is still room for. */
  room: number;
}

/** Most bytes of messages from one request, and of all that a server has waiting: its document holds no more. */
const MESSAGES_LIMIT = 12 * 1024 * 1024;

/** No messages yet, of a server where there is room for that many characters. */
export function newsOf({ mail, outbox }: ServerContext, room = Infinity): News {
  const waiting = sizeOf(outbox, mostBytesOf);
  return { messages: [], mail: { ...mail }, outbox, size: 0, waiting, measured: false, room };
}

/**
 * Adds a message. Throws a `Refusal` as soon as the messages are too many, before more is made: `too-large` where those of
 * the request are, `unavailable` where others have to be handed over first.
 */
export function addMessage(news: News, effect: DeliverEffect): void {
  news.messages.push(effect);
  news.size += news.measured ? bytesOf(effect) : mostBytesOf(effect);
  news.room -= effect.message.body.length;
  if (news.size + news.waiting > MESSAGES_LIMIT && !news.measured) {
    news.measured = true;
    news.size = sizeOf(news.messages, bytesOf);
    news.waiting = sizeOf(news.outbox, bytesOf);
  }
  if (news.size > MESSAGES_LIMIT) {
    throw new Refusal(
      'too-large',
      'these measurements fire more messages than fit; send fewer of them together, or end some subscriptions',
    );
  }
  if (news.size + news.waiting > MESSAGES_LIMIT || news.room < 0) {
    throw new Refusal(
      'unavailable',
      'too many messages wait to be handed over; nothing was done, try again in a second',
    );
  }
}

/** Characters of the messages that a server has waiting to be handed over. */
export function charactersWaiting({ outbox }: ServerContext): number {
  return sizeOf(outbox, ({ message }) => message.body.length);
}

function sizeOf(outbox: ServerContext['outbox'], size: (effect: DeliverEffect) => number): number {
  return outbox.reduce((sum, entry) => sum + (entry.type === 'deliver' ? size(entry) : 0), 0);
}

function bytesOf({ message }: DeliverEffect): number {
  return Buffer.byteLength(message.body);
}

/** A character has three bytes at most. */
function mostBytesOf({ message }: DeliverEffect): number {
  return message.body.length * 3;
}
