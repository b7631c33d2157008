import type { EdgeContext, EdgeMiddleware } from '../http/context.js';
import type { ReadSession } from '../http/session.js';
import { needsLogin } from './viewer.js';
import type { FindViewer } from './viewer.js';

/** Pause between two checks of the viewer of a stream, ms. */
const EVERY_MS = 60_000;

/**
 * Makes the check of a live stream's viewer. It sets `ctx.state.viewer`, and repeats the check as long as the stream is
 * open: the connection is closed once the session has ended, or its token is no longer valid.
 */
export function stayingViewer(options: {
  readonly find: FindViewer;
  readonly sessions: ReadSession;
  readonly everyMs?: number;
}): EdgeMiddleware {
  const { find, sessions, everyMs = EVERY_MS } = options;

  const hasLeft = async (ctx: EdgeContext): Promise<boolean> => {
    ctx.state.session = await sessions(ctx.req);
    try {
      await find(ctx);
      return false;
    } catch (error) {
      // An identity service that is away says nothing about the token.
      return needsLogin(error);
    }
  };

  return async (ctx, next) => {
    ctx.state.viewer = await find(ctx);
    await next();
    if (ctx.res.closed) return;
    const check = async (): Promise<void> => {
      if (await hasLeft(ctx)) ctx.req.socket.destroy();
    };
    const checking = setInterval(() => void check(), everyMs).unref();
    ctx.res.once('close', () => clearInterval(checking));
  };
}
