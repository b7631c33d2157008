import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import Koa from 'koa';
import type { Logger } from 'pino';
import { type AdmissionOptions, admission } from './admission/admission.js';
import { type Area, areaOf, type CheckGuards, guardCheck, type Requester } from './areas.js';
import { type BrowserRules, browserCheck } from './browsers.js';
import type { EdgeContext, EdgeMiddleware, EdgeState } from './context.js';
import { failureOf } from './failures/failure.js';
import { type Answer, answerOf, onFailure } from './failures/failure-answer.js';
import { readHead, targetOf } from './request-head.js';
import { logAnswer, type Observe, secondsSince } from './request-log.js';
import { createRouter, type Route } from './router.js';
import type { ReadSession } from './session.js';

/** The parts of the edge. */
export interface AppOptions {
  readonly log: Logger;
  /** Tried in this order, so the busiest come first. */
  readonly routes: readonly Route[];
  /** Parts of the path space with their own rules. */
  readonly areas?: readonly Area[];
  /** Returns the WWW-Authenticate of a 401: a scheme and its address (policy §5, rule 6). */
  readonly challenge: () => string;
  /** Reads the session of the console from the cookie of a request. Default: there are no sessions. */
  readonly sessions?: ReadSession;
  readonly admission: AdmissionOptions;
  /** Default: any Host is allowed. */
  readonly browsers?: BrowserRules;
  /** Called with each answer. */
  readonly observe: Observe;
}

/** The edge, ready for `listen`. */
export interface App {
  /** Answers a request. Never rejects. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  readonly log: Logger;
  readonly observe: Observe;
  /** Returns the answer to a request that failed with `error`. */
  answerTo(error: unknown, method: string, path: string): Answer;
  /** Returns the answer to a request with a method that no route can have. */
  answerToMethod(method: string, path: string, requester: Requester): Answer;
}

/**
 * Composes the edge. Errors of checks and handlers become answers, see `failureOf`. Throws an `Error` for a route whose
 * path ends in a slash.
 */
export function createApp(options: AppOptions): App {
  const { log, areas = [], challenge, observe } = options;
  const answerTo: App['answerTo'] = (error, method, path) =>
    answerOf(failureOf(error, method, challenge()), areas, path);
  const router = createRouter(options.routes);
  const checkGuards = guardCheck(areas, router.allowed);
  const koa = new Koa<EdgeState, object>();
  Object.assign(koa.context, { onerror: onFailure(answerTo, log, observe) });
  for (const middleware of [edge(options, checkGuards), router.dispatch, router.unrouted])
    koa.use(middleware);
  return {
    handle: koa.callback(),
    log,
    observe,
    answerTo,
    answerToMethod(method, path, requester) {
      try {
        const routed = targetOf(path, areas).path;
        checkGuards(method, routed, () => requester);
        return answerTo(router.refusal(method, routed), method, path);
      } catch (error) {
        return answerTo(error, method, path);
      }
    },
  };
}

const anyBrowser: BrowserRules = { hosts: undefined, anyHost: [] };

/**
 * Makes the middleware around the work of each request: head, guards, admission. Logs and measures successful answers;
 * `onFailure` does so for failures.
 */
function edge(
  { areas = [], log, observe, sessions, admission: limits, browsers = anyBrowser }: AppOptions,
  checkGuards: CheckGuards,
): EdgeMiddleware {
  const admit = admission(limits);
  const checkBrowser = browserCheck(areas, browsers);
  return async (ctx, next) => {
    readHead(ctx, areas);
    const { req, res, state } = ctx;
    if (areaOf(areas, state.path).unstored === true) res.setHeader('Cache-Control', 'no-store');
    const session = sessions?.(req);
    if (session !== undefined) state.session = await session;
    checkGuards(req.method ?? '', state.path, () => ({
      headers: req.headers,
      remoteAddress: req.socket.remoteAddress,
      session: state.session,
    }));
    checkBrowser(req, state.path);
    const permit = admit(req, res, state.path);
    state.permit = permit;
    state.client = permit.client.key;
    try {
      await next();
      const begun = firstBytes(ctx);
      if (begun !== undefined) await begun;
    } catch (error) {
      // The answer may wait for the rest of the body.
      if (!req.complete) permit.pause();
      throw error;
    } finally {
      permit.end();
    }
    const { method = '' } = req;
    const { statusCode: status } = res;
    observe(method, status, secondsSince(state.startedAt), state.route);
    if (log.isLevelEnabled('debug')) logAnswer(log, { ...state, method, status });
  };
}

/**
 * Waits for the first bytes of a streamed answer: an earlier failure gets a regular error answer, while an answer that
 * has begun can only be broken off. A live stream, which may be silent for long, calls `ctx.flushHeaders()` to skip the
 * wait. Returns undefined if there is nothing to wait for.
 */
function firstBytes(ctx: EdgeContext): Promise<void> | undefined {
  return ctx.body instanceof Readable && !ctx.headerSent ? begun(ctx.body) : undefined;
}

function begun(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.closed) return resolve();
    const settle = (): void => {
      stream.off('readable', settle).off('close', settle).off('error', reject);
      resolve();
    };
    stream.once('readable', settle).once('close', settle).once('error', reject);
  });
}
