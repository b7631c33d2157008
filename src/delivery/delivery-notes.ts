import type { ChangeNote } from '../actors/kind.js';
import { noteOf, withoutCredentials } from '../audit/change-notes.js';
import type { Address } from '../store/port.js';
import type { DeliveryContext, DeliveryEvent } from './delivery.js';

/** Returns what somebody has done with a delivery. The body of the message, and the recipients of a mail, are not in it. */
export function deliveryNotes(
  { type }: DeliveryEvent,
  { message, about }: DeliveryContext,
  after: DeliveryContext,
  { name }: Address,
): readonly ChangeNote[] {
  if (after.reply !== true || message === undefined) return [];
  const { channel } = message;
  const server = about !== undefined && 'server' in about ? about.server : undefined;
  const url = 'url' in message ? withoutCredentials(message.url) : undefined;
  return [{ ...noteOf(type, `deliveries/${name}`), before: { channel, server, url } }];
}
