import { utf8In } from '../../untrusted/json-text.js';
import { iJsonIn } from './i-json.js';

/** Parses a body whose content is hashed. Throws as `utf8In` and `iJsonIn`. */
export function parseContent(bytes: Buffer): unknown {
  return iJsonIn(utf8In(bytes));
}
