import type http from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Sender, WebhookMessage } from './port.js';
import { openPosting, type PostingOptions } from './posting.js';
import { webhookAnswer } from './webhook-answer.js';

/** What the webhook sender is made of. */
export interface WebhookOptions extends PostingOptions {
  /** Key of the signatures: `whsec_` and base64, or any other text as it is. Without it nothing is signed. */
  readonly secret?: string | undefined;
}

/**
 * Sends webhooks as the Standard Webhooks specification has it. Delivered is a 2xx, whatever becomes of its body; a
 * fault of the network, no answer in time, 408, 429 and 5xx are worth another attempt; anything else, a redirect and a
 * refused target included, is not. Throws when a `whsec_` secret is not base64. `close` breaks off what
 * has no status yet: it is answered `retry`, and the receiver knows a repeat by its `webhook-id`.
 */
export function webhookSender(options: WebhookOptions): Sender<WebhookMessage> {
  const signer = options.secret === undefined ? undefined : signerOf(options.secret);
  const posting = openPosting(options);

  const headersOf = (id: string, body: string): http.OutgoingHttpHeaders => {
    const at = new Date(options.now());
    return {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      ...(signer && { 'webhook-signature': signer.sign(id, at, body) }),
    };
  };

  return {
    send: (id, { url, body }) =>
      posting.attempt({ url, body, headers: () => headersOf(id, body), judge: webhookAnswer }),
    close: () => posting.close(),
  };
}

function signerOf(secret: string): Webhook {
  // The library would take a text without the prefix for base64, and a text with it as raw for the wrong key.
  return secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' });
}
