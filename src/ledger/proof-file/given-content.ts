import canonicalize from 'canonicalize';
import { iJsonIn } from '../content/i-json.js';
import { type Hex, hexOf, keccak } from './bytes.js';

/** JSON: its text, the bytes of its text in UTF-8, or the value in it. */
export type JsonSource = unknown;

/**
 * Returns the value in a text, with or without a byte order mark, or in its bytes; a value as it is. A text is read strictly:
 * two members of one name, or an integer that readers round, would let two texts have one hash. Throws an `Error` with why it
 * is not I-JSON.
 */
export function valueOf(source: JsonSource): unknown {
  if (typeof source === 'string') return iJsonIn(source.replace(/^\uFEFF/, ''));
  if (!(source instanceof Uint8Array)) return source;
  return iJsonIn(new TextDecoder('utf-8', { fatal: true }).decode(source));
}

/** Returns the keccak-256 of the canonical form (RFC 8785) of a JSON object. Throws an `Error` if it has none. */
export function canonicalHash(value: Readonly<Record<string, unknown>>): Hex {
  return hexOf(keccak(canonicalize(value)!));
}
