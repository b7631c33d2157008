import { oneLine } from '../untrusted/text.js';
import { fieldOf } from '../untrusted/json.js';

/** Longest text of a broker that goes into a message, in code points. */
const LONGEST = 500;

/** Members in which brokers say what is wrong, the general before the particular. */
const SAYING = ['error', 'reasonPhrase', 'title', 'description', 'details', 'detail'];

/**
 * What a broker said, fit for one line of a message: of an error object its telling members, of a text the text; at
 * most 500 characters, without control characters and without the secrets that were sent along.
 */
export function wordsOf(said: unknown, secrets: readonly string[]): string {
  let words = typeof said === 'string' ? said : tellingMembers(said);
  for (const secret of secrets) if (secret !== '') words = words.replaceAll(secret, '…');
  return oneLine(words, LONGEST);
}

function tellingMembers(said: unknown): string {
  const members = SAYING.map((name) => fieldOf(said, name));
  return members.filter((member) => typeof member === 'string' && member !== '').join(': ');
}
