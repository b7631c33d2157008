import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import type { Logger } from 'pino';
import { type AdmissionOptions, admission } from './admission/admission.js';
import { clientAddresses, type Sender } from './admission/client-address.js';
import { sendAnswer, whenBegun } from './answer.js';
import { type CheckGuards, groupOf, guardCheck, type Requester, type RouteGroup } from './route-groups.js';
import { type BrowserRules, browserCheck } from './browsers.js';
import type { Permit } from './admission/permit.js';
import type { EdgeContext } from './context.js';
import { failureOf } from './failures/failure.js';
import { type Answer, answerOf, onFailure } from './failures/failure-answer.js';
import { readHead, targetOf } from './request-head.js';
import { answerLog, type Observe, type OnRefused, secondsSince } from './request-log.js';
import { createRouter, type Route } from './router.js';
import { requestSpans } from './request-span.js';
import type { ReadSession } from './session.js';
import { NO_TRACING, type Tracing } from '../tracing/port.js';

/** The parts of the edge. */
export interface AppOptions {
  readonly log: Logger;
  /** Tried in this order, so the busiest come first. */
  readonly routes: readonly Route[];
  /** The first one that covers a path counts. */
  readonly groups?: readonly RouteGroup[];
  /** Returns the WWW-Authenticate of a 401: a scheme and its address (policy §5, rule 6). */
  readonly challenge: () => string;
  /** Reads the session of the console from the cookie of a request. Default: there are no sessions. */
  readonly sessions?: ReadSession;
  readonly admission: AdmissionOptions;
  /** Default: any Host is allowed. */
  readonly browsers?: BrowserRules;
  /** Called with each answer. */
  readonly observe: Observe;
  /** Called with each answer 4xx. */
  readonly onRefused?: OnRefused;
  /** Default: nothing is traced. */
  readonly tracing?: Tracing;
}

/** The edge, ready for `listen`. */
export type App = ReturnType<typeof createApp>;

/**
 * Composes the edge. Errors of checks and handlers become answers, see `failureOf`. Throws an `Error` for a route whose
 * path ends in a slash.
 */
export function createApp(options: AppOptions) {
  const { log, groups = [], challenge, observe, onRefused = ignored } = options;
  const answerTo = (error: unknown, method: string, path: string, requestType?: string): Answer =>
    answerOf(failureOf(error, method, challenge()), groups, path, requestType);
  const router = createRouter(options.routes);
  const checkGuards = guardCheck(groups, router.allowed);
  const requesterOf = requesters(options.admission);
  const admitted = entrance(options, checkGuards, requesterOf);
  const logAnswer = answerLog(log, groups);
  const fail = onFailure({ answerTo, log, logAnswer, observe, onRefused });
  const koa = new Koa();
  const traced = requestSpans(options.tracing ?? NO_TRACING, groups);

  const work = async (ctx: EdgeContext): Promise<void> => {
    const { req, res, state } = ctx;
    const permit = await admitted(ctx);
    try {
      await router.dispatch(ctx);
      const begun = whenBegun(ctx);
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
    if (log.isLevelEnabled('debug')) logAnswer({ ...state, method, status });
    sendAnswer(ctx, (error) => fail(ctx, error));
  };

  return {
    /** Answers a request. Never rejects. */
    handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
      res.statusCode = 404;
      const ctx = koa.createContext(req, res) as unknown as EdgeContext;
      traced(ctx);
      return work(ctx).catch((error: unknown) => fail(ctx, error));
    },
    logAnswer,
    observe,
    onRefused,
    /** Returns the answer to a request that failed with `error`. `requestType`: the Content-Type of the request. */
    answerTo,
    /** Returns the answer to a request with a method that no route can have. */
    answerToMethod(method: string, path: string, sender: Sender): Answer {
      const { 'content-type': type } = sender.headers;
      try {
        const routed = targetOf(path, groups).path;
        checkGuards(method, routed, () => requesterOf(sender));
        return answerTo(router.refusal(method, routed), method, path, type);
      } catch (error) {
        return answerTo(error, method, path, type);
      }
    },
  };
}

const ignored = (): void => undefined;

const anyBrowser: BrowserRules = { hosts: undefined, anyHost: [] };

/** Makes the function that returns the requester of a request, without its session. */
function requesters({ trustedProxies = [] }: AdmissionOptions): (sender: Sender) => Requester {
  const clientOf = clientAddresses(trustedProxies);
  return (sender) => ({
    headers: sender.headers,
    remoteAddress: sender.socket.remoteAddress,
    client: clientOf(sender),
  });
}

/** Makes what comes before the work of a request: head, session, guards, admission. It throws what they throw. */
function entrance(
  { groups = [], sessions, admission: limits, browsers = anyBrowser }: AppOptions,
  checkGuards: CheckGuards,
  requesterOf: (sender: Sender) => Requester,
): (ctx: EdgeContext) => Permit | Promise<Permit> {
  const admit = admission(limits);
  const checkBrowser = browserCheck(groups, browsers);

  const pass = (ctx: EdgeContext): Permit => {
    const { req, res, state } = ctx;
    checkGuards(req.method ?? '', state.path, () => ({ ...requesterOf(req), session: state.session }));
    checkBrowser(req, state.path);
    const permit = admit(req, res, state.path);
    state.permit = permit;
    state.client = permit.client.key;
    return permit;
  };

  return (ctx) => {
    readHead(ctx, groups);
    const { req, res, state } = ctx;
    if (groupOf(groups, state.path).unstored === true) res.setHeader('Cache-Control', 'no-store');
    const session = req.headers.cookie === undefined ? undefined : sessions?.(req);
    if (session === undefined) return pass(ctx);
    return session.then((shown) => {
      state.session = shown;
      return pass(ctx);
    });
  };
}
