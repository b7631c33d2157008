import { Refusal } from '../../errors.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { quoted } from '../../untrusted/text.js';
import { isServerId } from '../server/server-id.js';

/** The pattern of ids. */
export const ID_PATTERN = '[A-Za-z0-9_-]{1,256}';
const ID = new RegExp(`^${ID_PATTERN}$`);

/**
 * Checks the ids in the path: 1 to 256 letters, digits, `_` or `-` (policy §2: "alphanumeric strings", extended by what
 * brokers and clouds use). A `serverId` may also have `.`, `:` and `~` (docs/policy-api.md, "Operations"). Throws
 * `Refusal('bad-request')` that names the parameter.
 */
export const pathIds: EdgeMiddleware = (ctx, next) => {
  const { params } = ctx;
  for (const name in params) {
    const value = params[name];
    const isServer = name === 'serverId';
    if (value === undefined || !(isServer ? isServerId(value) : ID.test(value))) {
      const allowed = isServer ? '[A-Za-z0-9_.:~-]{1,256} and be neither . nor ..' : ID_PATTERN;
      throw new Refusal(
        'bad-request',
        `${name} in the path must match ${allowed}, not ${quoted(value ?? '')}`,
      );
    }
  }
  return next();
};
