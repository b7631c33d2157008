import type { EdgeContext, EdgeMiddleware } from '../http/context.js';
import type { Sessions } from './sessions.js';
import { type FindViewer, needsLogin } from './viewer.js';

type Enter = (ctx: EdgeContext) => Promise<void>;

/** Maximum pause between two checks of the viewer of a stream, ms. */
const EVERY_MS = 60_000;

/** How long a stream may stay open. */
export interface StreamAccessOptions {
  readonly sessions: Pick<Sessions, 'read' | 'whenEnded'>;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly everyMs?: number;
}

/**
 * Makes the check of a live stream's viewer. It sets `ctx.state.viewer`, and ends the stream as `streamSession` does, and
 * within `everyMs` after the viewer's token is no longer valid.
 */
export function streamViewer(options: StreamAccessOptions & { readonly find: FindViewer }): EdgeMiddleware {
  return staying(options, async (ctx) => {
    ctx.state.viewer = await options.find(ctx);
  });
}

/**
 * Makes the check of a live stream that a guard has let in. It sets `ctx.state.over`, which ends the stream when the
 * session that opened it expires, or ends in this process.
 */
export function streamSession(options: StreamAccessOptions): EdgeMiddleware {
  return staying(options, async () => undefined);
}

/** `enter` throws for a request whose viewer is not, or no longer, let in. */
function staying({ sessions, now, everyMs = EVERY_MS }: StreamAccessOptions, enter: Enter): EdgeMiddleware {
  const hasLeft = async (ctx: EdgeContext): Promise<boolean> => {
    const present = await sessions.read(ctx.req);
    if (present?.csrf !== ctx.state.session?.csrf) return true;
    try {
      await enter(ctx);
      return false;
    } catch (error) {
      // An identity service that is down does not show whether the token is valid.
      return needsLogin(error);
    }
  };

  return async (ctx, next) => {
    const { res, state } = ctx;
    const { session } = state;
    const over = new AbortController();
    const end = (): void => over.abort();
    let checking: NodeJS.Timeout | undefined;
    const check = async (): Promise<void> => {
      if (await hasLeft(ctx)) end();
      else plan();
    };
    const plan = (): void => {
      if (res.closed) return;
      const left = session === undefined ? everyMs : session.endsAt - now();
      checking = setTimeout(() => void check(), Math.min(everyMs, left)).unref();
    };
    state.over = over.signal;
    // From here on: an identity service may take long, and the session may end meanwhile.
    const stop = session === undefined ? undefined : sessions.whenEnded(session, end);
    const leave = (): void => {
      stop?.();
      clearTimeout(checking);
    };
    if (res.closed) leave();
    else res.once('close', leave);
    await enter(ctx);
    await next();
    plan();
  };
}
