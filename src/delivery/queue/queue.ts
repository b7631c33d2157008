import { createHash } from 'node:crypto';
import type { Message } from '../port.js';
import type { SlotOwner } from './slots.js';

/** Longest receiver that is part of a queue's name as it is, characters. */
const RECEIVER_LENGTH = 256;

/** The queue in which the messages of a tenant wait that go to the same receiver. */
export function queueOf(tenant: string, message: Message): string {
  return `${tenant}/${receiverOf(message)}`;
}

/** The tenant and the receiver in the name of a queue: no tenant holds a slash. */
export function ownerOf(queue: string): SlotOwner {
  const slash = queue.indexOf('/');
  return { queue, tenant: queue.slice(0, slash), receiver: queue.slice(slash + 1) };
}

/** Who gets a message: the origin of its url, and for e-mail the mail server. */
function receiverOf(message: Message): string {
  if (message.channel === 'email') return 'email';
  const { origin } = new URL(message.url);
  if (origin.length <= RECEIVER_LENGTH) return origin;
  return `sha256:${createHash('sha256').update(origin).digest('hex')}`;
}
