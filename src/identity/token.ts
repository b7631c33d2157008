/** Longest token that is looked at, in characters; PKI tokens, the longest that are issued, stay below 10,000. */
const LONGEST = 16_384;

/**
 * Whether a text can be a token at all: 1 to 16,384 visible ASCII characters. Anything else would have to be changed
 * to be put into a header or a path, so no identity service can have issued it. The path segments `.` and `..` are
 * not tokens either: no encoding keeps a URL parser from resolving them.
 */
export function isToken(text: string): boolean {
  return text.length <= LONGEST && /^[\x21-\x7e]+$/.test(text) && text !== '.' && text !== '..';
}
