import { isUtf8 } from 'node:buffer';
import { Refusal } from '../errors.js';
import { jsonIn } from './json-source.js';

/** Default nesting limit of objects and arrays, levels. Requests of the policy API have at most six. */
const DEEPEST = 100;

/**
 * Parses a JSON text in UTF-8, with or without a byte order mark. Throws `Refusal('unreadable')` for invalid UTF-8, and as
 * `jsonIn`.
 */
export function parseJson(bytes: Buffer, deepest = DEEPEST): unknown {
  return jsonIn(utf8In(bytes), deepest);
}

/** Returns a text in UTF-8 without its byte order mark. Throws `Refusal('unreadable')` for invalid UTF-8. */
export function utf8In(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Refusal('unreadable', 'the body is not UTF-8');
  const marked = bytes.toString('utf8');
  return marked.charCodeAt(0) === 0xfeff ? marked.slice(1) : marked;
}
