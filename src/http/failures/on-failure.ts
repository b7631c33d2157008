import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type Answer, prepare } from '../answer.js';
import type { EdgeContext } from '../context.js';
import { discardRest } from '../body/discard.js';
import { causeOf, logAnswer, secondsSince } from '../request-log.js';

/** Koa's hook for everything that goes wrong with a request, also while its answer is being sent. */
export function onFailure(
  answerTo: (error: unknown, method: string, path: string) => Answer,
  log: Logger,
  observe: (method: string, status: number, seconds: number) => void,
): (this: EdgeContext, error: unknown) => void {
  return function onerror(error) {
    // Koa also calls it when all went well.
    if (error === null || error === undefined) return;
    const { req, res, state, method } = this;
    if (res.headersSent || !this.writable) {
      log.debug({ requestId: state.requestId, err: causeOf(error) }, 'answer broken off');
      // What has been sent cannot be taken back: only a torn connection shows that it is not the whole.
      if (!res.writableEnded) res.destroy();
      return;
    }
    const answer = answerTo(error, method, state.path);
    prepare(res, answer);
    observe(method, answer.status, secondsSince(state.startedAt));
    logAnswer(log, { ...state, method, status: answer.status }, error);
    send(req, res, answer.body);
  };
}

/**
 * Answers a request whose body may still be on its way. Where the connection stays, at once; where it ends with the
 * answer, once the body is read, because closing on bytes unread takes the answer away from the client.
 */
function send(req: IncomingMessage, res: ServerResponse, body: string): void {
  if (req.complete) {
    res.end(body);
  } else if (res.shouldKeepAlive) {
    res.end(body);
    void discardRest(req).then((whole) => (whole ? undefined : req.socket.destroy()));
  } else {
    void discardRest(req).then(() => res.end(body));
  }
}
