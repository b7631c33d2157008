import { oneLine } from '../../untrusted/text.js';
import type { Answer } from '../port.js';
import type { WrittenUrl } from './written-url.js';

/** Longest delay that a receiver can ask for, s: a day. */
const LONGEST_RETRY_AFTER_S = 86_400;

/** The answer to a request. */
export interface HttpAnswer {
  readonly status: number;
  /** The header as sent. */
  readonly retryAfter: string | undefined;
  /** Beginning of the body. */
  readonly excerpt: string;
  readonly tookMs: number;
}

/** Returns the meaning of an HTTP answer for a delivery; `now` is in ms since the epoch. */
export function webhookAnswer(received: HttpAnswer, now: number): Answer {
  const { status } = received;
  const took = `${status} in ${Math.round(received.tookMs)} ms`;
  if (status >= 200 && status < 300) return { result: 'delivered', detail: took, status };
  if (status === 304) {
    return { result: 'refused', detail: `${took}: "not modified" is no answer to a POST`, status };
  }
  if (status >= 300 && status < 400)
    return { result: 'refused', detail: `${took}: redirects are not followed`, status };
  const excerpt = oneLine(received.excerpt, 200);
  const detail = excerpt === '' ? took : `${took}: ${excerpt}`;
  if (status !== 408 && status !== 429 && status < 500) return { result: 'refused', detail, status };
  return { result: 'retry', detail, status, retryAfterS: retryAfterS(received.retryAfter, now) };
}

/** Returns the delay of a Retry-After header, a number or a date (RFC 9110 §10.2.3), s; undefined if it is neither. */
function retryAfterS(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const value = header.trim();
  // RFC 9110 has whole seconds; some servers send fractions.
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.min(Number(value), LONGEST_RETRY_AFTER_S);
  const date = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(date)) return undefined;
  return Math.min(Math.max(0, Math.ceil((date - now) / 1_000)), LONGEST_RETRY_AFTER_S);
}

/** Removes a url's query, which may hold a key, from a text that quotes it as sent or as `URL` writes it. */
export function withoutQuery(text: string, { url, target }: WrittenUrl): string {
  const query = target.indexOf('?');
  const sent = query === -1 ? '' : target.slice(query);
  const values = [...url.searchParams.values()].flatMap((value) => [value, encodeURIComponent(value)]);
  const written = sent
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const hidden = [sent, url.search, ...values, ...written].filter((part) => part.length > 1);
  return hidden.reduce((rest, part) => rest.replaceAll(part, '…'), text);
}

/** Fewest characters of a secret that are removed: shorter parts show too little of it. */
const SHORTEST_HIDDEN = 4;

/** Removes secrets from the beginning of an answer that quotes them: whole, their words, and one that is cut off at its end. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const words = secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]);
  const written = words.flatMap((word) => [
    word,
    JSON.stringify(word).slice(1, -1),
    encodeURIComponent(word),
  ]);
  const hidden = [...new Set(written)]
    .filter((word) => word.length >= SHORTEST_HIDDEN)
    .toSorted((a, b) => b.length - a.length);
  const rest = hidden.reduce((shown, word) => shown.replaceAll(word, '…'), text);
  const cut = hidden.reduce((longest, word) => Math.max(longest, overlapOf(rest, word)), 0);
  return cut < SHORTEST_HIDDEN ? rest : `${rest.slice(0, -cut)}…`;
}

/** Returns how many characters at the end of a text are the beginning of a word. */
function overlapOf(text: string, word: string): number {
  for (let length = Math.min(text.length, word.length - 1); length >= SHORTEST_HIDDEN; length -= 1)
    if (text.endsWith(word.slice(0, length))) return length;
  return 0;
}
