import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from '../errors.js';
import type { RouteGroup, Guard } from '../http/route-groups.js';
import type { EdgeContext } from '../http/context.js';
import { holderOf, type Session } from '../http/session.js';
import { guessLimit } from '../identity/guess-limit.js';
import { equalSecrets } from '../system/equal-secrets.js';

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
/** `Authorization: Bearer`, with the token. */
const BEARER = /^bearer +(\S+)$/i;
/** Headers that proxies add, besides X-Forwarded-…. */
const PROXY_HEADERS = new Set([
  'forwarded',
  'via',
  'cf-connecting-ip',
  'true-client-ip',
  'x-client-ip',
  'x-real-ip',
]);

/** What lets operators in. */
export type OperatorAccess = ReturnType<typeof operatorAccess>;

/** Creates the access of operators. `token` is OPERATOR_TOKEN; `now` is in ms since the epoch. */
export function operatorAccess(token: string | undefined, now: () => number) {
  const attempts = guessLimit(now);

  /**
   * Checks a token that a client has shown, for a service that has one. Throws `Refusal`: `unauthorized`, and
   * `too-many-requests` after too many wrong ones of the client, wherever it has shown them.
   */
  const check = (shown: string, client: string): void =>
    attempts.limited(
      [client],
      () => {
        if (token !== undefined && equalSecrets(shown, token)) return;
        throw new Refusal(
          'unauthorized',
          'the operators’ token is not valid: it is not the OPERATOR_TOKEN of this service',
        );
      },
      shown,
    );

  /**
   * The guard of the operators' paths. With OPERATOR_TOKEN it requires the token in `Authorization: Bearer …` or
   * `X-Operator-Token`, or an operator's session of the console. Without a token it accepts local requests only: from a
   * loopback address, to a loopback name, without headers of a proxy, and without another origin, which excludes pages in a
   * browser. A tenant's session is refused. Throws `Refusal`: `unauthorized`, `forbidden`, `too-many-requests`.
   */
  const guard: Guard = ({ headers, remoteAddress, client, session }) => {
    if (session !== undefined) return checkHolder(session);
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
        'operators send OPERATOR_TOKEN as Authorization: Bearer, or in X-Operator-Token, or log in at /console',
      );
    check(shown, client);
  };

  /** Returns the token of operators in a header `Authorization: Bearer`; undefined if another one, or none, is there. */
  const bearerOf = (authorization: string): string | undefined => {
    const shown = BEARER.exec(authorization)?.[1];
    return shown !== undefined && token !== undefined && equalSecrets(shown, token) ? shown : undefined;
  };

  /**
   * Counts a token in `Authorization: Bearer` that is nobody's as a guess, for a service with OPERATOR_TOKEN. Throws
   * `Refusal('too-many-requests')`.
   */
  const countGuess = (authorization: string, client: string): void => {
    const shown = BEARER.exec(authorization)?.[1];
    if (shown === undefined || token === undefined) return;
    try {
      check(shown, client);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'too-many-requests') throw error;
    }
  };

  return { guard, check, bearerOf, countGuess };
}

function checkHolder(session: Session): void {
  if (holderOf(session).kind === 'operator') return;
  throw new Refusal(
    'forbidden',
    'the session of the console is a tenant’s, this path is for operators: log out, or log in with OPERATOR_TOKEN',
  );
}

/** The route groups of the operators, guarded as a whole: others cannot learn which paths exist. */
export function operatorGroups({ guard }: OperatorAccess): readonly RouteGroup[] {
  return ['/operator', '/metrics'].map((prefix) => ({ prefix, unstored: true, guard }));
}

/** Returns true if a guard lets the sender of a request in. */
export function isLetIn(guard: Guard, { req, state }: EdgeContext): boolean {
  const { headers, socket } = req;
  try {
    guard({ headers, remoteAddress: socket.remoteAddress, client: state.client, session: state.session });
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function isLocal(remote: string | undefined, headers: IncomingHttpHeaders): boolean {
  const proxied = Object.keys(headers).some(
    (header) => header.startsWith('x-forwarded') || PROXY_HEADERS.has(header),
  );
  const { host = '', origin } = headers;
  const crossOrigin = origin !== undefined && origin !== `http://${host}`;
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  const loopbackName = name === 'localhost' || (isIP(name) !== 0 && LOOPBACK.test(name));
  return !proxied && !crossOrigin && loopbackName && remote !== undefined && LOOPBACK.test(remote);
}
