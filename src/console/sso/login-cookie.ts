import type { IncomingMessage } from 'node:http';
import { createHmac } from 'node:crypto';
import type { LoginSecrets } from '../../identity/openid-provider.js';
import { isSealed, seal, unseal } from '../sealed.js';
import { cookie, cookiesOf } from '../session-cookie.js';
import type { SsoOutcome } from '../shapes.js';

/** Lifetime of the cookie, s: as long as a login at the provider may take. */
const LOGIN_S = 600;
const NAME = 'mirzam_login';
/** Maximum number of cookies of the name that are opened. */
const TRIED = 4;

/** What a browser keeps of a login: what its callback must match; or why the last one failed. */
export type KeptLogin =
  | {
      readonly kind: 'begun';
      readonly secrets: LoginSecrets;
      /** The page that was wanted. */
      readonly next: string;
      /** The tenant that was asked for; '' for none. */
      readonly tenant: string;
    }
  | { readonly kind: 'failed'; readonly outcome: SsoOutcome };

/** The encrypted cookie of a login in progress. */
export type LoginCookie = ReturnType<typeof loginCookie>;

/**
 * Makes the cookie. `Lax`: the provider's redirect has to bring it. A callback in another browser has none. Its key is not
 * that of sessions: neither can stand in for the other.
 */
export function loginCookie(options: {
  readonly secret: Uint8Array;
  readonly isSecure: (req: IncomingMessage) => boolean;
  readonly now: () => number;
}) {
  const { isSecure, now } = options;
  const secret = createHmac('sha256', options.secret).update('login').digest();
  const set = (req: IncomingMessage, value: string, maxAgeS: number): string =>
    cookie({ name: NAME, value, maxAgeS, secure: isSecure(req), sameSite: 'Lax' });

  return {
    /** Returns the Set-Cookie that keeps a login. */
    async keep(req: IncomingMessage, login: KeptLogin): Promise<string> {
      const exp = Math.floor(now() / 1000) + LOGIN_S;
      return set(req, await seal({ login }, exp, secret), LOGIN_S);
    },

    /** Returns the Set-Cookie that ends it. */
    end: (req: IncomingMessage): string => set(req, '', 0),

    /** Returns the logins that the cookies of a request hold: others on the domain may have set some of the same name. */
    async read(req: IncomingMessage): Promise<readonly KeptLogin[]> {
      const sealed = cookiesOf(req, NAME, isSecure).filter(isSealed).slice(0, TRIED);
      const opened = await Promise.all(sealed.map((one) => unseal(one, secret, now(), ['login'])));
      return opened.flatMap((payload) => (payload === undefined ? [] : [payload['login'] as KeptLogin]));
    },
  };
}
