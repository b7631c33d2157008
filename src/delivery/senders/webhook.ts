import type http from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Sender, WebhookMessage } from '../port.js';
import { openPosting, type PostingOptions } from './posting.js';
import { webhookAnswer } from './webhook-answer.js';

/** What the webhook sender is made of. */
export interface WebhookOptions extends PostingOptions {
  /** The secrets that a tenant's webhooks are signed with now, each `whsec_` and base64, newest first. */
  readonly secrets: (tenant: string) => readonly string[] | Promise<readonly string[]>;
}

/**
 * Sends webhooks as the Standard Webhooks specification has it, each attempt signed with the secrets that its tenant has
 * then. Delivered is a 2xx, whatever becomes of its body; a fault of the network, no answer in time, secrets that cannot
 * be read, 408, 429 and 5xx are worth another attempt; anything else, a redirect and a refused target included, is not.
 * `close` breaks off what has no status yet: it is answered `retry`, and the receiver knows a repeat by its `webhook-id`.
 */
export function webhookSender(options: WebhookOptions): Sender<WebhookMessage> {
  const posting = openPosting(options);

  const headersOf = async (id: string, body: string, tenant: string): Promise<http.OutgoingHttpHeaders> => {
    const secrets = await options.secrets(tenant);
    const at = new Date(options.now());
    return {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
    };
  };

  return {
    send: (id, { url, body }, tenant) =>
      posting.attempt({ url, body, headers: () => headersOf(id, body, tenant), judge: webhookAnswer }),
    close: () => posting.close(),
  };
}
