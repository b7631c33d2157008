import type { WebhookMessage } from '../port.js';
import { cloudEvent } from './cloud-event.js';
import type { MessageContent, NoContent } from './formats.js';

/** Returns the address that a message is sent to. */
export function urlOf({ url }: WebhookMessage): string {
  return url;
}

/**
 * Makes the content of a message in its format, at the time of the try: all formats are here. `id` is the webhook-id, the same at
 * each try; `now` is in ms since the epoch. A format whose address is not the url of the subscription has it in `urlOf`.
 */
export async function contentOf(
  id: string,
  message: WebhookMessage,
  _now: number,
): Promise<MessageContent | NoContent> {
  const { format, body } = message;
  if (format === undefined) return { contentType: 'application/json', body };
  if (format === 'cloudevents') return cloudEvent(id, body);
  return { refused: `this release does not send the format ${format}` };
}
