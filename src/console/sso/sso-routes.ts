import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../errors.js';
import type { EdgeContext } from '../../http/context.js';
import { setPageHeaders } from '../../http/page-headers.js';
import { type Route, route } from '../../http/router.js';
import { CALLBACK_PATH, type OpenIdProvider } from '../../identity/openid-provider.js';
import { IdentityUnavailable } from '../../identity/port.js';
import { equalSecrets } from '../../system/equal-secrets.js';
import { lruCache } from '../../system/lru-cache.js';
import { setCookie } from '../session-cookie.js';
import type { SsoState } from '../session-routes.js';
import type { Sessions } from '../sessions.js';
import type { SsoOutcome } from '../shapes.js';
import { type ClaimRules, entryOf, hasRuledClaims } from './holder-of-claims.js';
import type { KeptLogin, LoginCookie } from './login-cookie.js';

const START_PATH = '/console/login/start';
const LOGIN_PAGE = '/console/login';
/** Longest address of a wanted page that is kept, characters. */
const LONGEST_NEXT = 1_000;
/** Number of used logins that a node remembers. */
const REMEMBERED = 10_000;

const USED = 'This login was used already. Log in again.';
const UNKNOWN =
  'The answer of the OpenID provider belongs to no login of this browser: it began in another browser or window, more ' +
  'than ten minutes ago, or at another address of this service. Log in again.';

export interface SsoOptions {
  readonly provider: OpenIdProvider;
  readonly rules: ClaimRules;
  readonly sessions: Sessions;
  readonly loginCookie: LoginCookie;
  /** Lifetime of a session, s. */
  readonly sessionS: number;
  /** Returns true if the browser reaches the service over https. */
  readonly isSecure: (req: IncomingMessage) => boolean;
  readonly publicUrl: () => string;
  /** Called with the reason of each login that failed. */
  readonly onFailed: (message: string) => void;
}

type Begun = Extract<KeptLogin, { kind: 'begun' }>;

/** Makes the state of the login at the provider that `/console/api/session` shows. */
export function ssoState({ provider, loginCookie, publicUrl }: SsoOptions): SsoState {
  return {
    async view(req) {
      provider.check();
      const kept = await loginCookie.read(req);
      const failed = kept.find((login) => login.kind === 'failed');
      return { problem: provider.problem() ?? null, outcome: failed?.outcome ?? null };
    },
    logoutUrl: ({ sso }) => sso && provider.logoutUrl(sso.idToken, `${publicUrl()}${LOGIN_PAGE}`),
  };
}

/** Routes of the login at an OpenID provider: the start, and the callback. Both answer with redirects. */
export function ssoRoutes(options: SsoOptions): readonly Route[] {
  const { provider, rules, sessions, loginCookie, isSecure, publicUrl } = options;
  const used = lruCache<true>(REMEMBERED);

  const goTo = (ctx: EdgeContext, url: string): void => {
    // The address of a callback holds the code.
    setPageHeaders(ctx.res);
    ctx.redirect(url);
    ctx.status = 303;
  };

  const fail = async (ctx: EdgeContext, outcome: SsoOutcome, next: string): Promise<void> => {
    if (outcome.tenants.length === 0) options.onFailed(outcome.message);
    ctx.append('Set-Cookie', await loginCookie.keep(ctx.req, { kind: 'failed', outcome }));
    goTo(ctx, `${LOGIN_PAGE}?sso=failed&next=${encodeURIComponent(next)}`);
  };

  const start = async (ctx: EdgeContext): Promise<void> => {
    const next = pageOf(ctx.query['next']);
    const tenant = textOf(ctx.query['tenant']);
    const elsewhere = publicStart(ctx, publicUrl());
    // Cookies belong to a host: the callback arrives at that of PUBLIC_URL.
    if (elsewhere !== undefined) return goTo(ctx, elsewhere);
    try {
      const { url, secrets } = await provider.begin();
      ctx.append('Set-Cookie', await loginCookie.keep(ctx.req, { kind: 'begun', secrets, next, tenant }));
      goTo(ctx, url);
    } catch (error) {
      await fail(ctx, { message: messageOf(error), tenants: [] }, next);
    }
  };

  const begunOf = async ({ req, query }: EdgeContext): Promise<Begun> => {
    const kept = await loginCookie.read(req);
    const begun = kept.find(
      (login): login is Begun =>
        login.kind === 'begun' && equalSecrets(textOf(query['state']), login.secrets.state),
    );
    if (begun === undefined) throw new Refusal('forbidden', UNKNOWN);
    if (used.has(begun.secrets.state)) throw new Refusal('forbidden', USED);
    used.set(begun.secrets.state, true);
    return begun;
  };

  const enter = async (ctx: EdgeContext, { secrets, next, tenant }: Begun): Promise<void> => {
    const isComplete = (claims: Parameters<typeof hasRuledClaims>[0]): boolean =>
      hasRuledClaims(claims, rules);
    const { claims, idToken } = await provider.finish(ctx.querystring, secrets, isComplete);
    const entry = entryOf(claims, rules, tenant);
    if ('problem' in entry) return fail(ctx, { message: entry.problem, tenants: [] }, next);
    if ('tenants' in entry) {
      return fail(ctx, { message: 'Choose the tenant to log in as.', tenants: entry.tenants }, next);
    }
    const { sealed } = await sessions.openSso(entry.holder, idToken, options.sessionS);
    ctx.append('Set-Cookie', loginCookie.end(ctx.req));
    ctx.append('Set-Cookie', setCookie(sealed, options.sessionS, isSecure(ctx.req)));
    goTo(ctx, next);
  };

  const callback = async (ctx: EdgeContext): Promise<void> => {
    let next = '/console';
    try {
      const begun = await begunOf(ctx);
      ({ next } = begun);
      await enter(ctx, begun);
    } catch (error) {
      await fail(ctx, { message: messageOf(error), tenants: [] }, next);
    }
  };

  return [route(['GET'], START_PATH, start), route(['GET'], CALLBACK_PATH, callback)];
}

/** Returns the start at PUBLIC_URL for a request at another host; undefined at it, and after such a redirect. */
function publicStart({ req, query, querystring }: EdgeContext, publicUrl: string): string | undefined {
  const { host } = new URL(publicUrl);
  // A proxy may have replaced Host: one redirect shows that it does not help.
  if (req.headers.host === host || query['at'] !== undefined) return undefined;
  return `${publicUrl}${START_PATH}?${querystring === '' ? '' : `${querystring}&`}at=public`;
}

/** Returns the wanted page if it is one of the console, else its first one. */
function pageOf(asked: string | readonly string[] | undefined): string {
  const next = textOf(asked);
  return next.length <= LONGEST_NEXT && /^\/console(?:\/(?!login|api\/)|[?]|$)[!-~]*$/.test(next)
    ? next
    : '/console';
}

function textOf(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the message of an error that is meant for people. Throws all others. */
function messageOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof IdentityUnavailable) return error.message;
  throw error;
}
