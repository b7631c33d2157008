import { inTime } from '../system/in-time.js';
import { boundedText } from '../untrusted/text.js';
import { IdentityUnavailable } from './port.js';

/** Largest answer read, bytes after decompression. The Keystone catalogue of a large cloud has about 100 kB. */
const MAX_ANSWER_BYTES = 1_048_576;

/** Type of `fetch`, for callers that pass their own. */
export type Fetch = typeof globalThis.fetch;

/** What the adapter of a remote service gets besides its settings. */
export interface RemoteOptions {
  /** Limit of one `verify` with all its requests. */
  readonly timeoutMs: number;
  readonly fetch?: Fetch;
  /** ms since the epoch. */
  readonly now?: () => number;
}

/** Answer of an identity service, of any status. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** HTTP request to an identity service. */
interface IdentityRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends a request and reads the whole answer. Follows no redirects: credentials must not go to an address that is not
 * configured. Throws `IdentityUnavailable` on a network error, an answer over 1 MiB, or an abort.
 */
export async function send(fetch: Fetch, request: IdentityRequest, signal: AbortSignal): Promise<Answer> {
  try {
    const { url, ...init } = request;
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    return {
      status: response.status,
      headers: response.headers,
      text: await boundedText(response.body, MAX_ANSWER_BYTES, () =>
        malformed(`more than ${MAX_ANSWER_BYTES} bytes`),
      ),
    };
  } catch (cause) {
    if (cause instanceof IdentityUnavailable) throw cause;
    throw new IdentityUnavailable('The identity service cannot be reached; check IDENTITY_URL.', { cause });
  }
}

/** Longest token, in characters. PKI tokens, the longest in use, stay below 10,000. */
const MAX_TOKEN_LENGTH = 16_384;

/**
 * Returns true if a text can be a token: 1 to 16,384 visible ASCII characters. An identity service cannot have issued any
 * other text, as it would not fit into a header or a path. The path segments `.` and `..` are not tokens either: a URL
 * parser resolves them in any encoding.
 */
export function isToken(text: string): boolean {
  return text.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(text) && text !== '.' && text !== '..';
}

/** Runs `work` for at most `timeoutMs`. After that aborts its signal and throws `IdentityUnavailable`. */
export function withTimeout<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  return inTime(work(controller.signal), timeoutMs, () => {
    const error = new IdentityUnavailable(`The identity service did not answer in ${timeoutMs / 1000} s.`);
    controller.abort(error);
    return error;
  });
}

/** Parses an answer as JSON. Throws `IdentityUnavailable` if it is not JSON. */
export function answerJson(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    // No cause: the parser's message quotes the text, which may contain a token.
    throw malformed('its answer is not JSON');
  }
}

/** Returns the error for an answer that deviates from the documentation of the service. */
export function malformed(what: string): IdentityUnavailable {
  return new IdentityUnavailable(`The identity service answered with something unexpected: ${what}.`);
}

/** Returns the error for an undocumented status. */
export function unexpected(answer: Answer, request: string): IdentityUnavailable {
  const advice = answer.status < 500 ? '; check IDENTITY_URL' : '';
  return new IdentityUnavailable(`The identity service answered ${answer.status} to ${request}${advice}.`);
}

/** Returns an address to which paths can be appended. The settings have checked it. */
export function pathBase(url: string): string {
  return url.replace(/\/+$/, '');
}
