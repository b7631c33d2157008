import { once } from 'node:events';
import type http from 'node:http';
import { pinnedRequests } from '../../untrusted/pinned-requests.js';
import { reasonOf } from '../../untrusted/reason.js';
import type { Answer, Message, MirrorMessage, NotMade, Sender, WebhookMessage } from '../port.js';
import type { TargetRules } from './targets.js';
import { withoutQuery, type HttpAnswer, withoutSecrets } from './webhook-answer.js';
import { writtenUrl, type WrittenUrl } from './written-url.js';

const EXCERPT_BYTES = 1_024;

const STOPPED = 'broken off: the service stops';

export interface HttpSenderOptions {
  /** Time for an attempt, from the lookup of the name to the end of the answer, ms. Default 8000. */
  readonly timeoutMs?: number;
  readonly targets: TargetRules;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Maximum number of connections to one origin. Default 16. */
  readonly maxSocketsPerOrigin?: number;
  readonly userAgent: string;
}

/** A request for a message. */
export interface HttpRequest {
  readonly body: string;
  /** Names in lower case. */
  readonly headers: http.OutgoingHttpHeaders;
  /** Texts that an excerpt of the answer must not have. */
  readonly secrets?: readonly string[];
}

/** The requests of a channel, and the meaning of their answers. */
export interface Channel<M extends Message> {
  /** Returns the address that a message goes to. */
  readonly urlOf: (message: M) => string;
  /** Makes the request for an attempt. Called when the target is known. */
  readonly requestOf: (
    id: string,
    message: M,
    tenant: string,
  ) => HttpRequest | NotMade | Promise<HttpRequest | NotMade>;
  readonly judge: (received: HttpAnswer, now: number) => Answer;
}

/**
 * Sends POST requests over pooled connections of its own. The answer is `refused` for a target that the rules refuse, `retry`
 * for a fault of the network or no answer in time. `close` aborts attempts without a status: their answer is `retry`.
 */
export function httpSender<M extends WebhookMessage | MirrorMessage>(
  options: HttpSenderOptions,
  { urlOf, requestOf, judge }: Channel<M>,
): Sender<M> {
  const timeoutMs = options.timeoutMs ?? 8_000;
  const requests = pinnedRequests({
    maxSocketsPerOrigin: options.maxSocketsPerOrigin ?? 16,
    maxFreeSockets: 2,
  });
  const inFlight = new Set<(why: string) => void>();
  let closed = false;

  const attempt = async (
    [id, message, tenant, trace]: Parameters<Sender<M>['send']>,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const started = performance.now();
    const url = urlOf(message);
    const refusal = options.targets.refuse(url);
    if (refusal !== undefined) return { result: 'refused', detail: refusal };
    const resolved = await orAborted(options.targets.resolve(url), signal);
    if ('refused' in resolved) return { result: 'refused', detail: resolved.refused };
    const written = writtenUrl(url) as WrittenUrl;
    const made = await orAborted(Promise.resolve(requestOf(id, message, tenant)), signal);
    if ('refused' in made) return { result: 'refused', detail: made.refused };
    const { body, secrets = [] } = made;
    const headers = {
      'user-agent': options.userAgent,
      ...made.headers,
      'content-length': Buffer.byteLength(body),
      ...(trace === undefined ? {} : { traceparent: trace }),
    };
    const request = { target: written.target, headers, body, signal, method: 'POST' } as const;
    const response = await requests.send(written.url, resolved.addresses, request);
    const excerpt = withoutSecrets(withoutQuery(await beginningOf(response), written), secrets);
    const received = {
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
      excerpt,
      tookMs: performance.now() - started,
    };
    return judge(received, options.now());
  };

  return {
    async send(...sent) {
      const running = new AbortController();
      const stop = (why: string): void => running.abort(new Error(why));
      const timer = setTimeout(stop, timeoutMs, `no answer within ${timeoutMs} ms`);
      inFlight.add(stop);
      try {
        if (closed) throw new Error(STOPPED);
        return await attempt(sent, running.signal);
      } catch (error) {
        return {
          result: 'retry',
          detail: reasonOf(running.signal.aborted ? running.signal.reason : error),
        };
      } finally {
        clearTimeout(timer);
        inFlight.delete(stop);
      }
    },
    async close() {
      closed = true;
      for (const stop of inFlight) stop(STOPPED);
      requests.close();
    },
  };
}

/**
 * Returns the first KiB of a body. The connection of a longer one is destroyed, not read to its end. A body that breaks
 * off or does not end in time is cut there: the status alone decides.
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
    // The excerpt is what has arrived.
  }
  return Buffer.concat(chunks).toString('utf8', 0, EXCERPT_BYTES);
}

/** Rejects when the signal aborts. The lookup itself cannot be aborted: its result is ignored. */
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
