import { Refusal } from '../errors.js';
import { quoted } from '../untrusted/text.js';
import type { EdgeMiddleware } from './context.js';

/** The media types of JSON that requests may have. */
export type JsonType = 'application/json' | 'application/ld+json' | 'application/merge-patch+json';

const JSON_TYPE = /^(?<type>application\/(?:ld\+|merge-patch\+)?json)[ \t]*(?<parameters>;.*)?$/i;
const CHARSET = /;[ \t]*charset=(?<value>"[^"]*"|[^;]*)/gi;
/** The labels of UTF-8 (WHATWG Encoding, "Names and labels"), the usual one first. */
const UTF8_LABELS = [
  'utf-8',
  'utf8',
  'unicode-1-1-utf-8',
  'unicode11utf8',
  'unicode20utf8',
  'x-unicode20utf8',
];
const UTF8 = new RegExp(`^("?)(?:${UTF8_LABELS.join('|')})\\1[ \\t]*$`, 'i');

/**
 * Returns the JSON type of a Content-Type, and whether its charset is UTF-8, the default. undefined for any other media
 * type.
 */
export function jsonTypeOf(
  contentType: string | undefined,
): { readonly type: JsonType; readonly isUtf8: boolean } | undefined {
  if (contentType === 'application/json') return { type: contentType, isUtf8: true };
  const { type, parameters = '' } = JSON_TYPE.exec(contentType ?? '')?.groups ?? {};
  if (type === undefined) return undefined;
  const charsets = [...parameters.matchAll(CHARSET)];
  return {
    type: type.toLowerCase() as JsonType,
    isUtf8: charsets.every(({ groups }) => UTF8.test(groups?.['value'] ?? '')),
  };
}

/** Answers name their charset, so an Accept may name it too. */
const withCharset = (type: string): string[] => [
  type,
  ...UTF8_LABELS.map((label) => `${type};charset=${label}`),
];
const JSON_TYPES = withCharset('application/json');
const LD_JSON_TYPES = withCharset('application/ld+json');

/**
 * Checks that the client accepts JSON: no Accept, one that allows `application/json`, or a path with a final `.json`,
 * which overrides Accept (policy §4). Throws `Refusal('not-acceptable')` (policy §7).
 */
export const acceptJson: EdgeMiddleware = (ctx, next) => {
  const accept = ctx.req.headers.accept;
  const plain = accept === undefined || accept === '*/*' || accept === 'application/json';
  if (plain || ctx.state.jsonSuffix || ctx.accepts(...JSON_TYPES) !== false) return next();
  throw new Refusal('not-acceptable', `Accept must allow application/json, not only ${quoted(accept)}`);
};

/**
 * Checks that the client accepts JSON or JSON-LD, and sets the type of the answer: `application/json` if it is allowed,
 * because a receipt is not linked data, else `application/ld+json`. Throws `Refusal('not-acceptable')`.
 */
export const acceptJsonOrLd: EdgeMiddleware = (ctx, next) => {
  if (ctx.accepts(...JSON_TYPES) !== false) ctx.type = 'application/json';
  else if (ctx.accepts(...LD_JSON_TYPES) !== false) ctx.type = 'application/ld+json';
  else {
    const accept = quoted(ctx.get('accept'));
    throw new Refusal(
      'not-acceptable',
      `Accept must allow application/json or application/ld+json, not only ${accept}`,
    );
  }
  return next();
};
