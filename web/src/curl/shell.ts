import { shellQuoted } from '../../../src/untrusted/text.js';

/** Headers of a request of curl whose body is JSON. */
export const JSON_BODY = "-H 'Content-Type: application/json'";

/** Returns a word of a POSIX shell: quoted unless it needs no quotes. */
export function quoted(text: string): string {
  return /^[\w:/.%~-]+$/.test(text) ? text : shellQuoted(text);
}
