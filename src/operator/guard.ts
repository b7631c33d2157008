import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from '../errors.js';
import type { Area, Guard } from '../http/areas.js';
import { equalSecrets } from '../system/equal-secrets.js';

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
const BEARER = /^bearer +(\S+)$/i;
/** Headers that a proxy adds; those of the family X-Forwarded-… are told by their beginning. */
const PROXY_HEADERS = new Set([
  'forwarded',
  'via',
  'cf-connecting-ip',
  'true-client-ip',
  'x-client-ip',
  'x-real-ip',
]);

/**
 * Lets operators in: with `token` (OPERATOR_TOKEN) whoever shows it, as `Authorization: Bearer …` or
 * `X-Operator-Token`; without one only this machine itself, asked under a name of its own, not through a proxy and not
 * by a page of another origin, so that neither a forwarding neighbour nor a page in somebody's browser counts as local.
 * Throws `Refusal`: `unauthorized`, `forbidden`.
 */
export function operatorsOnly(token: string | undefined): Guard {
  return ({ headers, remoteAddress }) => {
    if (token === undefined) {
      if (isLocal(remoteAddress, headers)) return;
      throw new Refusal(
        'forbidden',
        'operators are let in from this machine only (as localhost, not through a proxy); ' +
          'else set OPERATOR_TOKEN and send it as Authorization: Bearer',
      );
    }
    const shown = BEARER.exec(headers.authorization ?? '')?.[1] ?? String(headers['x-operator-token'] ?? '');
    if (shown === '')
      throw new Refusal(
        'unauthorized',
        'operators send OPERATOR_TOKEN as Authorization: Bearer, or in X-Operator-Token',
      );
    if (!equalSecrets(shown, token))
      throw new Refusal(
        'unauthorized',
        'the operators’ token is not valid: it is not the OPERATOR_TOKEN of this service',
      );
  };
}

/** The operators' part of the path space: guarded as a whole, so that nobody else learns what is there. */
export function operatorArea(token: string | undefined): Area {
  return { prefix: '/operator', guard: operatorsOnly(token) };
}

function isLocal(remote: string | undefined, headers: IncomingHttpHeaders): boolean {
  const proxied = Object.keys(headers).some(
    (name) => name.startsWith('x-forwarded') || PROXY_HEADERS.has(name),
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
