import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors.js';
import type { EdgeContext } from '../http/context.js';
import { READ, type Route, route } from '../http/router.js';
import { holderOf, type Session } from '../http/session.js';
import { foreignPage } from './csrf.js';
import type { LogIn } from './log-in.js';
import { endCookie, fitsCookie, setCookie } from './session-cookie.js';
import { SESSION_S, type Sessions } from './sessions.js';
import type { LogoutView, SessionView, SsoView } from './shapes.js';
import { type FindViewer, needsLogin, type Viewer } from './viewer.js';

/** The part of the answer that does not depend on the viewer. */
export type SessionInfo = Omit<SessionView, 'viewer' | 'csrf' | 'tenants' | 'sso'>;

/** What the session shows of the login at an OpenID provider. */
export interface SsoState {
  readonly view: (req: IncomingMessage) => Promise<SsoView>;
  /** Returns the address that ends a session at the provider too; undefined: there is none. */
  readonly logoutUrl: (session: Session) => string | undefined;
}

export interface SessionRouteOptions {
  readonly sessions: Sessions;
  readonly logIn: LogIn;
  /** undefined without an OpenID provider. */
  readonly sso: SsoState | undefined;
  readonly findViewer: FindViewer;
  /** Returns what every viewer may know of the service. */
  readonly info: () => SessionInfo;
  /** Tenants that the service itself knows. */
  readonly tenants: () => Promise<SessionView['tenants']>;
  /** Returns true if the browser reaches the service over https. */
  readonly isSecure: (req: EdgeContext['req']) => boolean;
  readonly publicUrl: () => string;
  readonly body: (ctx: EdgeContext) => Promise<unknown>;
}

const PATH = '/console/api/session';

/** Routes that show, begin and end the session of the console. */
export function sessionRoutes(options: SessionRouteOptions): readonly Route[] {
  const { sessions, sso, findViewer, isSecure } = options;

  const viewOf = async (ctx: EdgeContext): Promise<SessionView> => {
    ctx.set('Cache-Control', 'no-store');
    const found = await viewerOrNull(findViewer, ctx);
    const csrf = found === null ? undefined : ctx.state.session?.csrf;
    const tenants = found?.kind === 'operator' ? await options.tenants() : [];
    const shown = sso === undefined ? null : await sso.view(ctx.req);
    return { viewer: found, csrf: csrf ?? null, ...options.info(), sso: shown, tenants };
  };

  const show = async (ctx: EdgeContext): Promise<void> => {
    ctx.body = await viewOf(ctx);
  };

  /** A page asks who is there when its stream ends. By then the browser must have the cookie of the answer. */
  const endAfterAnswer = ({ res, state: { session } }: EdgeContext): void => {
    if (session !== undefined) res.once('close', () => sessions.end(session));
  };

  const begin = async (ctx: EdgeContext): Promise<void> => {
    const foreign = foreignPage({ method: ctx.method, headers: ctx.req.headers }, options.publicUrl());
    if (foreign !== undefined) throw new Refusal('forbidden', foreign);
    const holder = await options.logIn.holderOf(await options.body(ctx), ctx.state.client);
    const { sealed, session } = await sessions.open(holder);
    if (!fitsCookie(sealed)) {
      throw new Refusal(
        'bad-request',
        'token: too long for a cookie; a session needs one below 2,700 characters',
      );
    }
    ctx.append('Set-Cookie', setCookie(sealed, SESSION_S, isSecure(ctx.req)));
    endAfterAnswer(ctx);
    ctx.state.session = session;
    await show(ctx);
  };

  const end = async (ctx: EdgeContext): Promise<void> => {
    const { session } = ctx.state;
    if (session !== undefined) holderOf(session);
    const providerLogout = (session && sso?.logoutUrl(session)) ?? null;
    endAfterAnswer(ctx);
    ctx.append('Set-Cookie', endCookie(isSecure(ctx.req)));
    ctx.state.session = undefined;
    const view: LogoutView = { ...(await viewOf(ctx)), providerLogout };
    ctx.body = view;
  };

  return [route(READ, PATH, show), route(['POST'], PATH, begin), route(['DELETE'], PATH, end)];
}

/** Returns null for a request that needs a login first. */
async function viewerOrNull(find: FindViewer, ctx: EdgeContext): Promise<Viewer | null> {
  try {
    return await find(ctx);
  } catch (error) {
    if (needsLogin(error)) return null;
    throw error;
  }
}
