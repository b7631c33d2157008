import { Webhook } from 'standardwebhooks';
import type { Sender, WebhookMessage } from '../port.js';
import { httpSender, type HttpSenderOptions } from './http-sender.js';
import { webhookAnswer } from './webhook-answer.js';

export interface WebhookOptions extends HttpSenderOptions {
  /** Returns the secrets that sign a tenant's webhooks now, each `whsec_` and base64, newest first. */
  readonly secrets: (tenant: string) => readonly string[] | Promise<readonly string[]>;
}

/**
 * Sends webhooks as in the Standard Webhooks specification. Each attempt is signed with the secrets of its moment. The
 * answer is `delivered` for a 2xx, whatever its body; `retry` for a fault of the network, no answer in time, unreadable
 * secrets, 408, 429 and 5xx; `refused` for anything else, redirects and refused targets included. `close` aborts attempts
 * without a status: their answer is `retry`. The receiver knows a repeat by its `webhook-id`.
 */
export function webhookSender(options: WebhookOptions): Sender<WebhookMessage> {
  return httpSender(options, {
    judge: webhookAnswer,
    async headersOf(id, { body }, tenant) {
      const secrets = await options.secrets(tenant);
      const at = new Date(options.now());
      return {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
      };
    },
  });
}
