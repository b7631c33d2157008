import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import { Refusal } from '../errors.js';

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
const BEARER = /^bearer +(\S+)$/i;

/**
 * Lets operators in: with `token` (OPERATOR_TOKEN) whoever shows it, as `Authorization: Bearer …` or
 * `X-Operator-Token`; without one only this machine itself, asked under a name of its own, not through a proxy and not
 * by a page of another origin, so that neither a forwarding neighbour nor a page in somebody's browser counts as local.
 */
export function operatorsOnly(token: string | undefined): Middleware {
  return (ctx, next) => {
    if (token === undefined) {
      if (!isLocal(ctx.req.socket.remoteAddress, ctx.req.headers)) {
        throw new Refusal(
          'forbidden',
          'operators are let in from this machine only (as localhost, not through a proxy); ' +
            'else set OPERATOR_TOKEN and send it as Authorization: Bearer',
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

function isLocal(remote: string | undefined, headers: IncomingHttpHeaders): boolean {
  const proxied = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some(
    (name) => headers[name] !== undefined,
  );
  const { host = '', origin } = headers;
  const foreign = origin !== undefined && origin !== `http://${host}`;
  const asked = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  const named = asked === 'localhost' || (isIP(asked) !== 0 && LOOPBACK.test(asked));
  return !proxied && !foreign && named && remote !== undefined && LOOPBACK.test(remote);
}

function same(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
