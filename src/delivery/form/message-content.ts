import type { NotMade, WebhookMessage } from '../port.js';
import { oneLine } from '../../untrusted/text.js';
import { cloudEvent } from './cloud-event.js';
import type { MessageContent } from './formats.js';
import { viewOf } from './message-view.js';
import { filled, LONGEST_FAULT, readTemplate, TemplateFault } from './template.js';
import { alertsUrl, postedAlerts } from './posted-alerts.js';

/** Returns the address that a message is sent to. */
export function urlOf({ url, format }: WebhookMessage): string {
  return format === 'alertmanager' ? alertsUrl(url) : url;
}

/**
 * Makes the content of a message in its format, at the time of the try: all formats are here. `id` is the webhook-id, the same at
 * each try; `now` is in ms since the epoch. A format whose address is not the url of the subscription has it in `urlOf`.
 */
export async function contentOf(
  id: string,
  message: WebhookMessage,
  now: number,
): Promise<MessageContent | NotMade> {
  const { format, body } = message;
  if (format === undefined) return { contentType: 'application/json', body };
  if (format === 'cloudevents') return cloudEvent(id, body);
  if (format === 'alertmanager') return postedAlerts(body, message.resendMs!, now);
  return fromTemplate(message);
}

/** After a change of the rule, a template that was checked may make no JSON of the message. */
async function fromTemplate(message: WebhookMessage): Promise<MessageContent | NotMade> {
  const { contentType } = message.template!;
  try {
    return { contentType, body: filled(await readTemplate(message.template!), viewOf(message)) };
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    return { refused: oneLine(`not sent: the template of the subscription ${error.message}`, LONGEST_FAULT) };
  }
}
