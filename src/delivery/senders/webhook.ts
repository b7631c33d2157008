import { Webhook } from 'standardwebhooks';
import type { HeaderSeal } from '../form/header-seal.js';
import { contentOf, urlOf } from '../form/message-content.js';
import type { Sender, WebhookMessage } from '../port.js';
import { httpSender, type HttpSenderOptions } from './http-sender.js';
import { webhookAnswer } from './webhook-answer.js';

export interface WebhookOptions extends HttpSenderOptions {
  /** Returns the secrets that sign a tenant's webhooks now, each `whsec_` and base64, newest first. */
  readonly secrets: (tenant: string) => readonly string[] | Promise<readonly string[]>;
  /** Opens the headers of messages. */
  readonly seal: Pick<HeaderSeal, 'open'>;
}

/**
 * Sends webhooks as in the Standard Webhooks specification. Each attempt is signed with the secrets of its moment. The
 * answer is `delivered` for a 2xx, whatever its body; `retry` for a fault of the network, no answer in time, unreadable
 * secrets, 408, 429 and 5xx; `refused` for anything else, redirects, refused targets, and messages that have no content in
 * their format included. `close` aborts attempts without a status: their answer is `retry`. The receiver knows a repeat by
 * its `webhook-id`.
 */
export function webhookSender(options: WebhookOptions): Sender<WebhookMessage> {
  /** Returns the headers of a form; undefined if they cannot be opened. */
  const opened = (tenant: string, { headers }: WebhookMessage) => {
    try {
      return headers === undefined ? {} : options.seal.open(tenant, headers);
    } catch {
      return undefined;
    }
  };
  return httpSender(options, {
    urlOf,
    judge: webhookAnswer,
    async requestOf(id, message, tenant) {
      const content = await contentOf(id, message, options.now());
      if ('refused' in content) return content;
      const own = opened(tenant, message);
      if (own === undefined) return { refused: UNSEALED };
      const { contentType, body } = content;
      const secrets = await options.secrets(tenant);
      const at = new Date(options.now());
      return {
        body,
        headers: {
          ...own,
          'content-type': contentType,
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
        },
        secrets: Object.values(own),
      };
    },
  });
}

const UNSEALED =
  'the headers of this message were sealed by another store; subscribe again with their values, then discard this message';
