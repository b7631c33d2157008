import { Refusal } from '../errors.js';
import type { EdgeMiddleware } from './context.js';
import { quoted } from '../untrusted/text.js';

/** Answers bear the charset, so an Accept that asks for it by name is as good. */
const withCharset = (type: string): string[] => [type, `${type};charset=utf-8`];
const JSON_TYPES = withCharset('application/json');
const LD_JSON_TYPES = withCharset('application/ld+json');

/**
 * The client takes JSON: no Accept, one that allows `application/json`, or `.json` at the end of the path, which wins
 * (policy §4). Throws `Refusal('not-acceptable')` otherwise (policy §7).
 */
export const acceptJson: EdgeMiddleware = (ctx, next) => {
  const accept = ctx.req.headers.accept;
  const plain = accept === undefined || accept === '*/*' || accept === 'application/json';
  if (plain || ctx.state.jsonSuffix || ctx.accepts(...JSON_TYPES) !== false) return next();
  throw new Refusal('not-acceptable', `Accept must allow application/json, not only ${quoted(accept)}`);
};

/**
 * The client takes JSON or JSON-LD, and the answer is prepared as what it takes: `application/json` wherever that is
 * allowed, because a receipt is no linked data; `application/ld+json` where it is all that is allowed. Throws
 * `Refusal('not-acceptable')`.
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
