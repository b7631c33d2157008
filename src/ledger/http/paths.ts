import { Refusal } from '../../errors.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { quoted } from '../../untrusted/text.js';
import { A_URI, isUri } from '../content/uri.js';

/** L1 and L2. */
export const ENTITIES = '/ngsi-ld/v1/entities';
/** L5. */
export const UPSERT = '/ngsi-ld/v1/entityOperations/upsert';
/** L6. */
export const RECORDED = '/entity';

// An entity's id is a URI and may come with its slashes as they are, so a path of any number of segments holds it. One
// slash at the end is not the id's; and what ends in `/attrs` is always the address of L3: a retrieval that was not
// meant would be on the chain for good.

/** L3. */
export const ATTRIBUTES = /^\/ngsi-ld\/v1\/entities\/(.*)\/attrs\/?$/;
/** L4. */
export const ENTITY = /^\/ngsi-ld\/v1\/entities\/(?!.*\/attrs\/?$)(.+?)\/?$/;
/** L7. */
export const RECORDED_ENTITY = /^\/entity\/(.+?)\/?$/;

/**
 * The id in a path of L3, L4 or L7, percent-encoded or not, is a URI: it becomes `ctx.params.entityId`, decoded once.
 * Throws `Refusal('bad-request')`.
 */
export const entityIdInPath: EdgeMiddleware = (ctx, next) => {
  const entityId = decodeURIComponent(ctx.captures?.[0] ?? '');
  if (!isUri(entityId)) {
    throw new Refusal('bad-request', `entityId in the path ${A_URI}, not ${quoted(entityId)}`);
  }
  ctx.params['entityId'] = entityId;
  return next();
};
