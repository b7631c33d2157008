import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import { Refusal } from '../errors.js';

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
const BEARER = /^bearer +(\S+)$/i;

/**
 * Lets operators in: with `token` (OPERATOR_TOKEN) whoever shows it, as `Authorization: Bearer …` or
 * `X-Operator-Token`; without one only this machine itself, asked under a name of its own and not through a proxy, so
 * that neither a forwarding neighbour nor a page in somebody's browser counts as local.
 */
export function operatorsOnly(token: string | undefined): Middleware {
  return (ctx, next) => {
    if (token === undefined) {
      if (!isLocal(ctx.req.socket.remoteAddress, ctx.host, ctx.headers)) {
        throw new Refusal(
          'forbidden',
          'operators are let in from this machine only, unless OPERATOR_TOKEN is set',
        );
      }
      return next();
    }
    const shown = BEARER.exec(ctx.get('authorization'))?.[1] ?? ctx.get('x-operator-token');
    if (shown === '')
      throw new Refusal('unauthorized', 'Authorization: Bearer with the operators’ token is needed');
    if (!same(shown, token)) throw new Refusal('unauthorized', 'the operators’ token is not valid');
    return next();
  };
}

function isLocal(
  remote: string | undefined,
  host: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean {
  const proxied = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some(
    (name) => headers[name] !== undefined,
  );
  const asked = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  const named = asked === 'localhost' || (isIP(asked) !== 0 && LOOPBACK.test(asked));
  return !proxied && named && remote !== undefined && LOOPBACK.test(remote);
}

function same(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
