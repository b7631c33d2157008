import { fieldOf, jsonOf } from '../untrusted/json.js';
import { oneLine } from '../untrusted/text.js';
import { BrokerRefused, BrokerUnavailable } from './port.js';
import type { BrokerAnswer, BrokerRequest } from './request.js';

/** Longest quotation of a broker in a message, in code points. */
const MAX_QUOTATION = 500;

/** Members of an error object with its explanation, from general to specific. */
const EXPLANATIONS = ['error', 'reasonPhrase', 'title', 'description', 'details', 'detail'];

/** Orion's words in a 400 for a path that it does not have, such as those of NGSI-10 since version 4.0. */
const NO_SERVICE = /service not found/i;

/** Returns the error for a success that deviates from the documentation of the API. */
export function malformed(what: string): BrokerUnavailable {
  return new BrokerUnavailable(`The context broker answered with something unexpected: ${what}.`);
}

/** Returns the error for a request that the broker refused with an HTTP status. */
export function refusal(answer: BrokerAnswer, { method, path, secrets }: BrokerRequest): BrokerRefused {
  const isWrongPath = [404, 405].includes(answer.status) || NO_SERVICE.test(answer.text);
  const advice = isWrongPath ? '; check BROKER_URL and BROKER_API' : '';
  const said = quotedMessage(answer.text, secrets);
  return new BrokerRefused(
    `The context broker answered ${answer.status} to ${method} ${path}${advice}${said}`,
  );
}

/** Returns `: ` and the broker's explanation in an answer, or an empty text if it has none. */
export function quotedMessage(text: string, secrets: readonly string[] = []): string {
  const words = explanationOf(jsonOf(text) ?? text, secrets);
  return words === '' ? '' : `: ${words}`;
}

/**
 * Returns the broker's explanation of an error, safe for one line of a message: the explanatory members of an error
 * object, or a text as it is. At most 500 code points, without control characters and without `secrets`.
 */
export function explanationOf(said: unknown, secrets: readonly string[]): string {
  let words = typeof said === 'string' ? said : explanations(said);
  for (const secret of secrets) if (secret !== '') words = words.replaceAll(secret, '…');
  return oneLine(words, MAX_QUOTATION);
}

function explanations(said: unknown): string {
  const members = EXPLANATIONS.map((name) => fieldOf(said, name));
  return members.filter((member) => typeof member === 'string' && member !== '').join(': ');
}

/**
 * Handles a failed creation. If the request may have reached the broker, calls `retract` once, which returns the ids of
 * the subscriptions it ended. Returns the error to throw: `unsettled` if nothing was ended, as the broker may still carry
 * out the creation.
 */
export async function creationFailure(
  failure: unknown,
  retract: () => Promise<readonly string[]>,
): Promise<unknown> {
  if (!(failure instanceof BrokerUnavailable) || failure.unsent) return failure;
  const ended = await retract().catch(() => []);
  if (ended.length > 0) return failure;
  return new BrokerUnavailable(failure.message, { cause: failure.cause, unsettled: true });
}
