import { reasonOf, secretsIn } from '../../untrusted/reason.js';
import { boundedText } from '../../untrusted/text.js';
import { jsonOf } from '../../untrusted/json.js';

/** Longest time for an answer, ms. */
export const ANSWER_MS = 5_000;
/** Largest answer that is read, bytes. */
const LARGEST = 1_048_576;

/** An answer to GET. `body`: parsed JSON; undefined for anything else. */
export interface Asked {
  readonly status: number;
  readonly body: unknown;
}

/** A request with a body, in place of GET. */
interface Sent {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Asks an address. Returns the answer, or why there is none, without secrets of the address. */
export async function ask(url: string, sent?: Sent): Promise<Asked | string> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await fetch(url, { ...sent, redirect: 'manual', signal });
    const text = await boundedText(response.body, LARGEST, () => new Error('its answer is too long'));
    return { status: response.status, body: jsonOf(text) };
  } catch (error) {
    if (signal.aborted) return `no answer in ${ANSWER_MS / 1000} s`;
    return reasonOf(error, secretsIn(url));
  }
}
