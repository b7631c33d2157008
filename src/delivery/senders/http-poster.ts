import { once } from 'node:events';
import type http from 'node:http';
import { pinnedRequests } from '../../untrusted/pinned-requests.js';
import { reasonOf } from '../../untrusted/reason.js';
import type { HostAddress } from '../../untrusted/name-lookup.js';
import type { Answer } from '../port.js';
import type { TargetRules } from './targets.js';
import { withoutQuery, type HttpAnswer } from './webhook-answer.js';
import { writtenUrl, type WrittenUrl } from './written-url.js';

const EXCERPT_BYTES = 1_024;

const STOPPED = 'broken off: the service stops';

export interface HttpPosterOptions {
  /** Time for an attempt, from the lookup of the name to the end of the answer, ms. Default 8000. */
  readonly timeoutMs?: number;
  readonly targets: TargetRules;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Maximum number of connections to one origin. Default 16. */
  readonly maxSocketsPerOrigin?: number;
  readonly userAgent: string;
}

/** A request, with the meaning of its answers. */
export interface Post {
  readonly url: string;
  readonly body: string;
  /** The headers of the channel. Called when the target is known. */
  readonly headers: () => http.OutgoingHttpHeaders | Promise<http.OutgoingHttpHeaders>;
  readonly judge: (received: HttpAnswer, now: number) => Answer;
}

/** Sends POST requests over pooled connections. */
export interface HttpPoster {
  /**
   * Makes one attempt. The answer is `refused` for a target that the rules refuse, `retry` for a fault of the network or
   * no answer in time. Never throws.
   */
  attempt(post: Post): Promise<Answer>;
  /** Aborts attempts without a status: their answer is `retry`. */
  close(): Promise<void>;
}

/** Opens a poster with connections of its own. */
export function openHttpPoster(options: HttpPosterOptions): HttpPoster {
  const timeoutMs = options.timeoutMs ?? 8_000;
  const requests = pinnedRequests({
    maxSocketsPerOrigin: options.maxSocketsPerOrigin ?? 16,
    maxFreeSockets: 2,
  });
  const inFlight = new Set<(why: string) => void>();
  let closed = false;

  const headersOf = async ({ body, headers }: Post): Promise<http.OutgoingHttpHeaders> => ({
    'content-length': Buffer.byteLength(body),
    'user-agent': options.userAgent,
    ...(await headers()),
  });

  const exchange = async (
    url: URL,
    addresses: readonly HostAddress[],
    message: {
      readonly target: string;
      readonly headers: http.OutgoingHttpHeaders;
      readonly body: string;
      readonly signal: AbortSignal;
    },
  ): Promise<Omit<HttpAnswer, 'tookMs'>> => {
    const response = await requests.send(url, addresses, { ...message, method: 'POST' });
    return {
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
      excerpt: await beginningOf(response),
    };
  };

  const carryOut = async (post: Post, signal: AbortSignal): Promise<Answer> => {
    const started = performance.now();
    const refusal = options.targets.refuse(post.url);
    if (refusal !== undefined) return { result: 'refused', detail: refusal };
    const target = await orAborted(options.targets.resolve(post.url), signal);
    if ('refused' in target) return { result: 'refused', detail: target.refused };
    const written = writtenUrl(post.url) as WrittenUrl;
    const headers = await orAborted(headersOf(post), signal);
    const message = { target: written.target, headers, body: post.body, signal };
    const received = await exchange(written.url, target.addresses, message);
    const tookMs = performance.now() - started;
    return post.judge(
      { ...received, excerpt: withoutQuery(received.excerpt, written), tookMs },
      options.now(),
    );
  };

  return {
    async attempt(post) {
      const running = new AbortController();
      const stop = (why: string): void => running.abort(new Error(why));
      const timer = setTimeout(stop, timeoutMs, `no answer within ${timeoutMs} ms`);
      inFlight.add(stop);
      try {
        if (closed) throw new Error(STOPPED);
        return await carryOut(post, running.signal);
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
