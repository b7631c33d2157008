/** Bytes of UTF-8 that an id may have. */
const LONGEST = 2_048;

/**
 * Scheme, colon, and at least one character behind it. Not allowed are what RFC 3986 excludes (blanks, controls,
 * `<>"{}|\^` and the grave accent, a percent sign without two hexadecimal digits) and, of what is not ASCII, what RFC
 * 3987 excludes: separators, unpaired surrogates, and the marks that turn the direction of text.
 */
const URI =
  /^[a-z][\da-z+.-]*:(?:[^%\s\p{Cc}\p{Z}\p{Cs}<>"{}|\\^`\u200E\u200F\u202A-\u202E]|%[\da-f]{2})+$/iu;

/** What a text must be that `isUri` refuses. */
export const A_URI = `must be a URI of at most ${LONGEST} bytes, as in urn:ngsi-ld:Store:1`;

/** True for an absolute URI, or IRI, of at most 2,048 bytes. */
export function isUri(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= LONGEST &&
    Buffer.byteLength(value) <= LONGEST &&
    URI.test(value)
  );
}

/** The pattern of names in NGSI-LD (ledger §2, "type"). */
const NAME = /^[\dA-Za-z_]+(?::[\dA-Za-z_]+)?(?:#\d+)?$/;

/** What a text must be that `isName` refuses. */
export const A_NAME = 'must be an NGSI-LD name (letters, digits, _, one colon between) or a full IRI';

/** True for the name of a type or an attribute: a short one, or the IRI that stands for it. */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' && (NAME.test(value) || (/^(?:urn:|[^:]+:\/\/)/i.test(value) && isUri(value)))
  );
}
