import { Refusal } from '../../errors.js';
import type { EdgeMiddleware } from '../../http/context.js';
import type { PathExpression } from '../../http/router.js';
import { quoted } from '../../untrusted/text.js';
import { A_URI, isUri } from '../content/uri.js';

/** L1 and L2. */
export const ENTITIES = '/ngsi-ld/v1/entities';
/** L5. */
export const UPSERT = '/ngsi-ld/v1/entityOperations/upsert';
/** A notification of a broker. */
export const NOTIFY = '/ledger/notify';
/** An accepted operation. */
export const OPERATION = '/ledger/operations/:operationId';
/** L6. */
export const ENTITY_LIST = '/entity';

// An entity's id is a URI whose slashes may be unencoded, so an id can span several segments. One slash at the end is not
// part of the id. A path that ends in `/attrs` is always L3: a retrieval by mistake would stay on the chain for good.

/** L3. */
export const ATTRIBUTES: PathExpression = {
  pattern: '/ngsi-ld/v1/entities/:entityId/attrs',
  expression: /^\/ngsi-ld\/v1\/entities\/(.*)\/attrs\/?$/,
};
/** L4. */
export const ENTITY: PathExpression = {
  pattern: '/ngsi-ld/v1/entities/:entityId',
  expression: /^\/ngsi-ld\/v1\/entities\/(?!.*\/attrs\/?$)(.+?)\/?$/,
};
/** L7. */
export const TRANSACTION_LIST: PathExpression = {
  pattern: '/entity/:entityId',
  expression: /^\/entity\/(.+?)\/?$/,
};

/**
 * Sets `ctx.params.entityId` to the id in a path of L3, L4 or L7, decoded once. Throws `Refusal('bad-request')` unless it
 * is a URI.
 */
export const entityIdInPath: EdgeMiddleware = (ctx, next) => {
  const entityId = decodeURIComponent(ctx.captures?.[0] ?? '');
  if (!isUri(entityId)) {
    throw new Refusal('bad-request', `entityId in the path ${A_URI}, not ${quoted(entityId)}`);
  }
  ctx.params['entityId'] = entityId;
  return next();
};
