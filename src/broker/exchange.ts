import { boundedText } from '../untrusted/text.js';
import { fieldOf, jsonOf } from '../untrusted/json.js';
import { BrokerRefused, BrokerUnavailable } from './port.js';
import { wordsOf } from './words.js';

/** Largest answer that is read, in bytes after inflating; the longest expected one lists 200 subscriptions. */
const LARGEST = 1_048_576;

/** How connections fail that never came to be. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** One request to a broker. */
export interface BrokerRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the broker's address, with a slash at its start. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** What must not be repeated in messages, although the broker may repeat it. */
  readonly secrets?: readonly string[];
  /** When to give up, on the clock of `performance.now()`; by default after the time that every request has. */
  readonly by?: number | undefined;
}

/** What a broker answered: a success or a refusal, never a failure of its own. */
export interface BrokerAnswer {
  /** 200..299, or 400..499 but 408 and 429. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Requests to one broker. */
export interface Exchange {
  /**
   * Sends a request and reads the whole answer. Throws `BrokerUnavailable` when none comes in time, when the network
   * fails, on 408, 429 and 5xx, on a redirect (what is sent must not go where nobody configured it to go), on an
   * answer over 1 MiB, and after `close`.
   */
  send(request: BrokerRequest): Promise<BrokerAnswer>;
  /** Gives up the requests under way. */
  close(): void;
}

/**
 * Opens requests to the broker at `url`, each with `timeoutMs` for its whole answer. Throws an `Error` naming
 * BROKER_URL when that is no http(s) URL, or has parts that no path can be put behind or that are secret.
 */
export function openExchange(url: string, timeoutMs: number): Exchange {
  const base = brokerAddress(url);
  const inFlight = new Set<AbortController>();
  let closed = false;

  return {
    async send(request) {
      if (closed) throw new BrokerUnavailable('The connection to the context broker is closed.');
      const controller = new AbortController();
      const left = request.by === undefined ? timeoutMs : Math.max(0, request.by - performance.now());
      const late = setTimeout(() => {
        controller.abort(
          new BrokerUnavailable(`The context broker did not answer in ${timeoutMs / 1000} s.`),
        );
      }, left);
      inFlight.add(controller);
      try {
        return await carryOut(base, request, controller.signal);
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
    close() {
      closed = true;
      for (const controller of inFlight) {
        controller.abort(new BrokerUnavailable('The connection to the context broker was closed.'));
      }
    },
  };
}

/** The error for a success that does not say what the API's documentation promises. */
export function malformed(what: string): BrokerUnavailable {
  return new BrokerUnavailable(`The context broker answered with something unexpected: ${what}.`);
}

/** The error for a request that the broker refused with a status of HTTP. */
export function refusal(answer: BrokerAnswer, { method, path, secrets = [] }: BrokerRequest): BrokerRefused {
  const words = wordsOf(jsonOf(answer.text) ?? answer.text, secrets);
  const advice = [404, 405].includes(answer.status) ? '; check BROKER_URL and BROKER_API' : '';
  const said = words === '' ? '' : `: ${words}`;
  return new BrokerRefused(
    `The context broker answered ${answer.status} to ${method} ${path}${advice}${said}`,
  );
}

async function carryOut(base: string, request: BrokerRequest, signal: AbortSignal): Promise<BrokerAnswer> {
  const { method, path, body } = request;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(base + path, {
    method,
    // Orion refuses a Content-Type where there is no body.
    headers: {
      accept: 'application/json',
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(sent === undefined ? {} : { body: sent }),
    redirect: 'manual',
    signal,
  });
  const { status, headers } = response;
  const text = await boundedText(response.body, LARGEST, () => malformed(`more than ${LARGEST} bytes`));
  if (status >= 300 && status < 400) {
    throw malformed(
      `a redirect (${status}), which is not followed; set BROKER_URL to where the broker answers`,
    );
  }
  if (status >= 500 || status === 408 || status === 429) {
    const words = wordsOf(jsonOf(text) ?? text, request.secrets ?? []);
    const said = words === '' ? '' : `: ${words}`;
    throw new BrokerUnavailable(`The context broker answered ${status} to ${method} ${path}${said}`);
  }
  return { status, headers, text };
}

function brokerAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error('BROKER_URL must be an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') throw new Error('BROKER_URL must not hold credentials.');
  if (url.search !== '' || url.hash !== '')
    throw new Error('BROKER_URL must not have a query or a fragment.');
  return url.href.replace(/\/+$/, '');
}
