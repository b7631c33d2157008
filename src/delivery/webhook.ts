import { once } from 'node:events';
import type http from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Answer, Sender, WebhookMessage } from './port.js';
import type { TargetAddress, TargetRules } from './targets.js';
import { webhookAgents } from './webhook-agents.js';
import { networkFault, webhookAnswer, withoutQuery, type Received } from './webhook-answer.js';

const EXCERPT_BYTES = 1_024;
/** How a kept connection fails that the receiver closed just when it was used again. */
const STALE = new Set(['ECONNRESET', 'EPIPE']);

const STOPPED = 'broken off: the service stops';

/** What the webhook sender is made of. */
export interface WebhookOptions {
  /** Key of the signatures: `whsec_` and base64, or any other text as it is. Without it nothing is signed. */
  readonly secret?: string | undefined;
  /** For the whole exchange, from the lookup to the end of the answer. Default 8000. */
  readonly timeoutMs?: number;
  readonly targets: TargetRules;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Default 16. */
  readonly maxSocketsPerOrigin?: number;
  readonly userAgent: string;
}

/**
 * Sends webhooks as the Standard Webhooks specification has it. Delivered is a 2xx, whatever becomes of its body; a
 * fault of the network, no answer in time, 408, 429 and 5xx are worth another attempt; anything else, a redirect and a
 * refused target included, is not. Throws when a `whsec_` secret is not base64. `close` breaks off what
 * has no status yet: it is answered `retry`, and the receiver knows a repeat by its `webhook-id`.
 */
export function webhookSender(options: WebhookOptions): Sender<WebhookMessage> {
  const timeoutMs = options.timeoutMs ?? 8_000;
  const signer = options.secret === undefined ? undefined : signerOf(options.secret);
  const agents = webhookAgents(options.maxSocketsPerOrigin ?? 16);
  const underWay = new Set<(why: string) => void>();
  let closed = false;

  const headersOf = (id: string, body: string): http.OutgoingHttpHeaders => {
    const at = new Date(options.now());
    return {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': options.userAgent,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      ...(signer && { 'webhook-signature': signer.sign(id, at, body) }),
    };
  };

  const exchange = async (
    url: URL,
    addresses: readonly TargetAddress[],
    message: {
      readonly headers: http.OutgoingHttpHeaders;
      readonly body: string;
      readonly signal: AbortSignal;
    },
    fresh = false,
  ): Promise<Omit<Received, 'tookMs'>> => {
    const request = agents.request(url, addresses, { ...message, fresh });
    // No receiver may end the process by a fault after its answer began, when `once` no longer listens.
    request.on('error', () => undefined);
    request.end(message.body);
    try {
      const [response] = (await once(request, 'response', { signal: message.signal })) as [
        http.IncomingMessage,
      ];
      return {
        status: response.statusCode ?? 0,
        retryAfter: response.headers['retry-after'],
        excerpt: await beginningOf(response),
      };
    } catch (error) {
      const stale = request.reusedSocket && STALE.has((error as NodeJS.ErrnoException).code ?? '');
      if (!stale) throw error;
      return exchange(url, addresses, message, true);
    }
  };

  const attempt = async (id: string, message: WebhookMessage, signal: AbortSignal): Promise<Answer> => {
    const started = performance.now();
    const refusal = options.targets.refuse(message.url);
    if (refusal !== undefined) return { result: 'refused', detail: refusal };
    const target = await orAborted(options.targets.resolve(message.url), signal);
    if ('refused' in target) return { result: 'refused', detail: target.refused };
    const url = new URL(message.url);
    const { body } = message;
    const received = await exchange(url, target.addresses, { headers: headersOf(id, body), body, signal });
    const tookMs = performance.now() - started;
    return webhookAnswer(
      { ...received, excerpt: withoutQuery(received.excerpt, url), tookMs },
      options.now(),
    );
  };

  return {
    async send(id, message) {
      const running = new AbortController();
      const stop = (why: string): void => running.abort(new Error(why));
      const timer = setTimeout(stop, timeoutMs, `no answer within ${timeoutMs} ms`);
      underWay.add(stop);
      try {
        if (closed) throw new Error(STOPPED);
        return await attempt(id, message, running.signal);
      } catch (error) {
        return {
          result: 'retry',
          detail: networkFault(running.signal.aborted ? running.signal.reason : error),
        };
      } finally {
        clearTimeout(timer);
        underWay.delete(stop);
      }
    },
    async close() {
      closed = true;
      for (const stop of underWay) stop(STOPPED);
      agents.close();
    },
  };
}

function signerOf(secret: string): Webhook {
  // The library would take a text without the prefix for base64, and a text with it as raw for the wrong key.
  return secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' });
}

/**
 * Reads the first KiB of a body; of a longer one the connection is destroyed, not read to its end. A body that breaks
 * off or does not end in time is as long as it came: the status has said all that counts.
 */
async function beginningOf(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > EXCERPT_BYTES) break;
    }
  } catch {
    // What came is the excerpt.
  }
  return Buffer.concat(chunks).toString('utf8', 0, EXCERPT_BYTES);
}

/** A lookup cannot be broken off, only left behind. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const aborted = once(signal, 'abort', { signal: settled.signal }).then(() => {
    throw signal.reason;
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    settled.abort();
  }
}
