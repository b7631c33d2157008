import { Refusal } from '../errors.js';
import type { EdgeContext } from '../http/context.js';
import { READ, type Route, route } from '../http/router.js';
import { holderOf } from '../http/session.js';
import { foreignPage } from './csrf.js';
import type { LogIn } from './log-in.js';
import { endCookie, fitsCookie, setCookie } from './session-cookie.js';
import { SESSION_S, type Sessions } from './sessions.js';
import type { SessionView } from './shapes.js';
import { type FindViewer, needsLogin, type Viewer } from './viewer.js';

/** The part of the answer that does not depend on the viewer. */
export type SessionInfo = Omit<SessionView, 'viewer' | 'csrf' | 'tenants'>;

export interface SessionRouteOptions {
  readonly sessions: Sessions;
  readonly logIn: LogIn;
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
  const { sessions, findViewer, isSecure } = options;

  const show = async (ctx: EdgeContext): Promise<void> => {
    ctx.set('Cache-Control', 'no-store');
    const found = await viewerOrNull(findViewer, ctx);
    const csrf = found === null ? undefined : ctx.state.session?.csrf;
    const tenants = found?.kind === 'operator' ? await options.tenants() : [];
    const view: SessionView = { viewer: found, csrf: csrf ?? null, ...options.info(), tenants };
    ctx.body = view;
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
    if (ctx.state.session !== undefined) holderOf(ctx.state.session);
    endAfterAnswer(ctx);
    ctx.append('Set-Cookie', endCookie(isSecure(ctx.req)));
    ctx.state.session = undefined;
    await show(ctx);
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
