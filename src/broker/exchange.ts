import { fieldOf } from '../untrusted/json.js';
import { boundedText } from '../untrusted/text.js';
import { malformed, quotedMessage } from './failures.js';
import { BrokerUnavailable } from './port.js';
import type { BrokerAnswer, BrokerRequest } from './request.js';

/** Largest answer read, bytes after decompression. The longest expected answer lists 200 subscriptions. */
const MAX_ANSWER_BYTES = 1_048_576;

/** Error codes of connections that were never established. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Requests to one broker. */
export type Exchange = ReturnType<typeof openExchange>;

/** Opens requests to the broker at `url`. `timeoutMs` limits a request with its whole answer. */
export function openExchange(url: string, timeoutMs: number) {
  const base = url.replace(/\/+$/, '');
  const inFlight = new Set<AbortController>();
  let closed = false;

  return {
    /**
     * Sends a request and reads the whole answer. Throws `BrokerUnavailable` on a time-out or network error, on 408, 429
     * and 5xx, on an answer over 1 MiB, after `close`, and on a redirect: requests must not go to an address that is not
     * configured.
     */
    async send(request: BrokerRequest): Promise<BrokerAnswer> {
      if (closed) throw new BrokerUnavailable('The connection to the context broker is closed.');
      const controller = new AbortController();
      const left =
        request.deadline === undefined ? timeoutMs : Math.max(0, request.deadline - performance.now());
      const late = setTimeout(() => {
        controller.abort(
          new BrokerUnavailable(`The context broker did not answer in ${timeoutMs / 1000} s.`),
        );
      }, left);
      inFlight.add(controller);
      try {
        return await exchange(base, request, controller.signal);
      } catch (cause) {
        if (cause instanceof BrokerUnavailable) throw cause;
        throw new BrokerUnavailable('The context broker cannot be reached; check BROKER_URL.', {
          cause,
          unsent: UNSENT.has(String(fieldOf(cause, 'cause', 'code'))),
        });
      } finally {
        clearTimeout(late);
        inFlight.delete(controller);
      }
    },
    /** Aborts the requests in flight. */
    close(): void {
      closed = true;
      for (const controller of inFlight) {
        controller.abort(new BrokerUnavailable('The connection to the context broker was closed.'));
      }
    },
  };
}

async function exchange(base: string, request: BrokerRequest, signal: AbortSignal): Promise<BrokerAnswer> {
  const { method, path, body } = request;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(base + path, {
    method,
    // Orion refuses a Content-Type without a body.
    headers: {
      ...request.headers,
      accept: 'application/json',
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(sent === undefined ? {} : { body: sent }),
    redirect: 'manual',
    signal,
  });
  const { status, headers } = response;
  const text = await boundedText(response.body, MAX_ANSWER_BYTES, () =>
    malformed(`more than ${MAX_ANSWER_BYTES} bytes`),
  );
  if (status >= 300 && status < 400) {
    throw malformed(
      `a redirect (${status}), which is not followed; set BROKER_URL to where the broker answers`,
    );
  }
  if (status >= 500 || status === 408 || status === 429) {
    const said = quotedMessage(text, request.secrets);
    throw new BrokerUnavailable(`The context broker answered ${status} to ${method} ${path}${said}`);
  }
  return { status, headers, text };
}
