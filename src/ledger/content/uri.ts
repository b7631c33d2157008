/** Longest URI, bytes of UTF-8. */
const MAX_BYTES = 2_048;

/**
 * Scheme, colon, and at least one character. Excluded by RFC 3986: blanks, controls, `<>"{}|\^`, the grave accent, a
 * percent sign without two hexadecimal digits. Excluded by RFC 3987: separators, unpaired surrogates, direction marks.
 */
const URI =
  /^[a-z][\da-z+.-]*:(?:[^%\s\p{Cc}\p{Z}\p{Cs}<>"{}|\\^`\u200E\u200F\u202A-\u202E]|%[\da-f]{2})+$/iu;

/** The rule that `isUri` checks. */
export const A_URI = `must be a URI of at most ${MAX_BYTES} bytes, as in urn:ngsi-ld:Store:1`;

/** True for an absolute URI, or IRI, of at most 2,048 bytes. */
export function isUri(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= MAX_BYTES &&
    Buffer.byteLength(value) <= MAX_BYTES &&
    URI.test(value)
  );
}

/** The pattern of names in NGSI-LD (ledger §2, "type"). */
const NAME = /^[\dA-Za-z_]+(?::[\dA-Za-z_]+)?(?:#\d+)?$/;

/** The rule that `isName` checks. */
export const A_NAME = 'must be an NGSI-LD name (letters, digits, _, one colon between) or a full IRI';

/** The rule that `isType` checks. */
export const A_TYPE = `${A_NAME}, or a non-empty array of these`;

/** True for the type of an entity: a name, or several. */
export const isType = oneOrSeveral(isName);

/** Returns the check of one value, or of a non-empty array of such. */
export function oneOrSeveral(isFit: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => (Array.isArray(value) ? value.length > 0 && value.every(isFit) : isFit(value));
}

/** True for the name of a type or an attribute: a short name, or an IRI. */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' && (NAME.test(value) || (/^(?:urn:|[^:]+:\/\/)/i.test(value) && isUri(value)))
  );
}
