import { Refusal } from '../errors.js';
import type { EdgeMiddleware } from './context.js';
import { quoted } from './quoted.js';

const id = /^[A-Za-z0-9_-]{1,256}$/;

/**
 * Every id in the path is 1 to 256 letters, digits, `_` or `-` (policy §2: "alphanumeric strings", and what brokers
 * and clouds use beside). Throws `Refusal('bad-request')` naming the parameter.
 */
export const pathIds: EdgeMiddleware = (ctx, next) => {
  const { params } = ctx;
  for (const name in params) {
    const value = params[name];
    if (value === undefined || !id.test(value)) {
      throw new Refusal(
        'bad-request',
        `${name} in the path must match [A-Za-z0-9_-]{1,256}, not ${quoted(value ?? '')}`,
      );
    }
  }
  return next();
};
