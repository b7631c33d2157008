import { boundedText } from '../untrusted/text.js';
import { IdentityUnavailable } from './port.js';

/** Largest answer that is read, in bytes after inflating: a Keystone catalogue of a large cloud has some 100 kB. */
const LARGEST = 1_048_576;

/** `fetch`, so that a caller can bring its own. */
export type Fetch = typeof globalThis.fetch;

/** What an identity service answered, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An HTTP request to an identity service. */
interface Question {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends one request and reads the whole answer. Redirects are not followed: credentials must not go where nobody
 * configured them to go. Throws `IdentityUnavailable` on a network error, an answer over 1 MiB, or an abort.
 */
export async function ask(fetch: Fetch, question: Question, signal: AbortSignal): Promise<Answer> {
  try {
    const { url, ...request } = question;
    const response = await fetch(url, { ...request, redirect: 'manual', signal });
    return {
      status: response.status,
      headers: response.headers,
      text: await boundedText(response.body, LARGEST, () => malformed(`more than ${LARGEST} bytes`)),
    };
  } catch (cause) {
    if (cause instanceof IdentityUnavailable) throw cause;
    throw new IdentityUnavailable('The identity service cannot be reached; check IDENTITY_URL.', { cause });
  }
}

/**
 * Runs `work` for at most `timeoutMs`; after that its signal is aborted and `IdentityUnavailable` is thrown, whatever
 * `work` still waits for.
 */
export async function within<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new IdentityUnavailable(`The identity service did not answer in ${timeoutMs / 1000} s.`);
      reject(error);
      controller.abort(error);
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The answer's JSON. Throws `IdentityUnavailable` when it is none. */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    // Without a cause: a parser's message quotes the text, and the text may hold a token.
    throw malformed('its answer is not JSON');
  }
}

/** The error for an answer that does not say what the service's documentation promises. */
export function malformed(what: string): IdentityUnavailable {
  return new IdentityUnavailable(`The identity service answered with something unexpected: ${what}.`);
}

/** The error for a status that the service's documentation does not give a meaning here. */
export function unexpected(answer: Answer, request: string): IdentityUnavailable {
  const advice = answer.status < 500 ? '; check IDENTITY_URL' : '';
  return new IdentityUnavailable(`The identity service answered ${answer.status} to ${request}${advice}.`);
}

/** A configured address below which there are others, without a slash at its end; else as `serviceUrl`. */
export function baseUrl(text: string): string {
  return serviceUrl(text).replace(/\/+$/, '');
}

/**
 * A configured address. Throws an `Error` naming IDENTITY_URL when it is no http(s) URL or
 * holds credentials, which would end up in messages of the network layer.
 */
export function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error('IDENTITY_URL must be an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      'IDENTITY_URL must not hold credentials; set IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD.',
    );
  }
  return url.href;
}
