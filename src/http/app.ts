import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import type { Logger } from 'pino';
import { type AdmissionOptions, admission } from './admission/admission.js';
import { type Answer, answerOf } from './answer.js';
import { type Area, type Asker, type CheckGuards, guardCheck } from './areas.js';
import { arrive } from './admission/arrival.js';
import { type BrowserRules, browserCheck } from './browsers.js';
import type { EdgeMiddleware, EdgeState } from './context.js';
import { failureOf } from './failures/failure.js';
import { firstBytes } from './wire/first-bytes.js';
import { onFailure } from './failures/on-failure.js';
import { logAnswer, secondsSince } from './request-log.js';
import { targetOf } from './target.js';
import { createRouter, type Route } from './router.js';

/** What the edge is made of. */
export interface AppOptions {
  readonly log: Logger;
  /** Tried in this order, so the busiest come first. */
  readonly routes: readonly Route[];
  /** Parts of the path space with rules of their own. */
  readonly areas?: readonly Area[];
  /** The WWW-Authenticate of every 401: a scheme and where it leads (policy §5, rule 6). */
  readonly challenge: () => string;
  readonly admission: AdmissionOptions;
  /** Without: every name is answered to. */
  readonly browsers?: BrowserRules;
  /** Told of every answer, `seconds` after the request arrived. */
  readonly observe: (method: string, status: number, seconds: number) => void;
}

/** The routes behind the checks and habits that all of them share, ready for `listen`. */
export interface App {
  /** Answers a request; never rejects. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  readonly log: Logger;
  readonly observe: AppOptions['observe'];
  /** The whole answer to a request that failed with `error`. */
  answerTo(error: unknown, method: string, path: string): Answer;
  /** The whole answer to a request with a method that no route can have. */
  answerToMethod(method: string, path: string, asker: Asker): Answer;
}

/**
 * Composes the edge. Whatever a check or handler throws becomes an answer: see `failureOf`. Throws an `Error` for a
 * route whose path ends in a slash.
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
    answerToMethod(method, path, asker) {
      try {
        const routed = targetOf(path, areas).path;
        checkGuards(method, routed, () => asker);
        return answerTo(router.refusal(method, routed), method, path);
      } catch (error) {
        return answerTo(error, method, path);
      }
    },
  };
}

const anyBrowser: BrowserRules = { hosts: undefined, anyHost: [] };

/**
 * What happens around the work on every request. Logs and measures what is answered without a failure; failures are
 * where they are answered.
 */
function edge(
  { areas = [], log, observe, admission: limits, browsers = anyBrowser }: AppOptions,
  checkGuards: CheckGuards,
): EdgeMiddleware {
  const admit = admission(limits);
  const checkBrowser = browserCheck(areas, browsers);
  return async (ctx, next) => {
    arrive(ctx, areas);
    const { req, res, state } = ctx;
    checkGuards(req.method ?? '', state.path, () => ({
      headers: req.headers,
      remoteAddress: req.socket.remoteAddress,
    }));
    checkBrowser(req, state.path);
    const place = admit(req, res, state.path);
    state.place = place;
    try {
      await next();
      const begun = firstBytes(ctx);
      if (begun !== undefined) await begun;
    } catch (error) {
      // Its answer may be held back until the rest of the body is there.
      if (!req.complete) place.pause();
      throw error;
    } finally {
      place.end();
    }
    const { method = '' } = req;
    const { statusCode: status } = res;
    observe(method, status, secondsSince(state.startedAt));
    if (log.isLevelEnabled('debug')) logAnswer(log, { ...state, method, status });
  };
}
