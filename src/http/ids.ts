import { Refusal } from '../errors.js';
import type { EdgeMiddleware } from './context.js';
import { quoted } from '../untrusted/text.js';

const ID = /^[A-Za-z0-9_-]{1,256}$/;
/** URNs and host names too; `.` and `..` are left out, which clients and proxies resolve as path segments. */
const SERVER_ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:~-]{1,256}$/;

/**
 * Every id in the path is 1 to 256 letters, digits, `_` or `-` (policy §2: "alphanumeric strings", and what brokers
 * and clouds use beside); a `serverId` may have `.`, `:` and `~` too (contract, "Server ids"). Throws
 * `Refusal('bad-request')` naming the parameter.
 */
export const pathIds: EdgeMiddleware = (ctx, next) => {
  const { params } = ctx;
  for (const name in params) {
    const value = params[name];
    const isServer = name === 'serverId';
    if (value === undefined || !(isServer ? SERVER_ID : ID).test(value)) {
      const allowed = isServer ? '[A-Za-z0-9_.:~-]{1,256} and be neither . nor ..' : '[A-Za-z0-9_-]{1,256}';
      throw new Refusal(
        'bad-request',
        `${name} in the path must match ${allowed}, not ${quoted(value ?? '')}`,
      );
    }
  }
  return next();
};
