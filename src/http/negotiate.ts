import { Refusal } from '../errors.js';
import type { EdgeMiddleware } from './context.js';
import { quoted } from './quoted.js';

/**
 * The client takes JSON: no Accept, one that allows `application/json`, or `.json` at the end of the path, which wins
 * (policy §4). Throws `Refusal('not-acceptable')` otherwise (policy §7).
 */
export const acceptJson: EdgeMiddleware = (ctx, next) => {
  const accept = ctx.req.headers.accept;
  const plain = accept === undefined || accept === '*/*' || accept === 'application/json';
  // Answers bear the charset, so an Accept that asks for it by name is as good.
  if (
    plain ||
    ctx.state.jsonSuffix ||
    ctx.accepts('application/json', 'application/json;charset=utf-8') !== false
  ) {
    return next();
  }
  throw new Refusal('not-acceptable', `Accept must allow application/json, not only ${quoted(accept)}`);
};
