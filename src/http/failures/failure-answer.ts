import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { presentable } from '../../untrusted/text.js';
import { type RouteGroup, groupOf, errorsAt } from '../route-groups.js';
import type { EdgeContext } from '../context.js';
import { causeOf, type LogAnswer, type Observe, type OnRefused, secondsSince } from '../request-log.js';
import type { Failure } from './failure.js';

/** A whole answer to a failed request. */
export type Answer = ReturnType<typeof answerOf>;

/** Renders a failure in the error format of the path's route group. `requestType`: the Content-Type of the request. */
export function answerOf(
  failure: Failure,
  groups: readonly RouteGroup[],
  path: string,
  requestType: string | undefined,
) {
  const { status } = failure;
  const title = STATUS_CODES[status] ?? 'Error';
  const shown = { ...failure, title, message: presentable(failure.message), requestType };
  const { headers: shaped, body } = errorsAt(groups, path)(shown);
  const headers: Record<string, string> = {
    ...(groupOf(groups, path).unstored === true ? { 'Cache-Control': 'no-store' } : {}),
    ...failure.headers,
    ...shaped,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  /** `message` is the text for people in `body`. */
  return { status, title, headers, body, message: shown.message };
}

/**
 * Makes the function that is called for every failure of a request, also while its answer is being sent. `answerTo` makes
 * the answer to an error; `observe` is called with each answer, `onRefused` with each 4xx.
 */
export function onFailure({
  answerTo,
  log,
  logAnswer,
  observe,
  onRefused,
}: {
  readonly answerTo: (error: unknown, method: string, path: string, requestType?: string) => Answer;
  readonly log: Logger;
  readonly logAnswer: LogAnswer;
  readonly observe: Observe;
  readonly onRefused: OnRefused;
}): (ctx: EdgeContext, error: unknown) => void {
  return (ctx, error) => {
    const { req, res, state, method } = ctx;
    if (res.headersSent || !ctx.writable) {
      log.debug({ requestId: state.requestId, err: causeOf(error) }, 'answer broken off');
      // Only a broken connection shows the client that the answer is incomplete.
      if (!res.writableEnded) res.destroy();
      return;
    }
    const answer = answerTo(error, method, state.path, req.headers['content-type']);
    prepare(res, answer);
    observe(method, answer.status, secondsSince(state.startedAt), state.route);
    logAnswer({ ...state, method, status: answer.status }, error);
    const { status, message } = answer;
    if (status < 500) onRefused({ method, path: state.path, status, message, tenant: state.tenant });
    send(req, res, answer.body);
  };
}

/** Sets status and headers of an answer. Removes every header set before, but X-Request-Id. */
function prepare(res: ServerResponse, answer: Answer): void {
  for (const name of res.getHeaderNames()) if (name !== 'x-request-id') res.removeHeader(name);
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  res.statusCode = answer.status;
  res.statusMessage = answer.title;
}

/**
 * Sends an answer while the request's body may still arrive. If the connection stays open, sends at once. If it ends with
 * the answer, reads the body first: a connection closed with unread bytes is reset, and the client loses the answer.
 */
function send(req: IncomingMessage, res: ServerResponse, body: string | Uint8Array): void {
  if (req.complete) {
    res.end(body);
  } else if (res.shouldKeepAlive) {
    res.end(body);
    void discardRest(req).then((whole) => (whole ? undefined : req.socket.destroy()));
  } else {
    void discardRest(req).then(() => res.end(body));
  }
}

/** Maximum number of bytes that are read and discarded. Only abusive clients send more: it exceeds every body limit. */
const MAX_DISCARDED = 32 * 1024 ** 2;

/**
 * Reads and discards the rest of a request's body, so that a client that still sends can read its answer. Resolves to
 * true at the end of the body, to false if it is too long or the client closes the connection.
 */
function discardRest(req: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let discarded = 0;
    const done = (): void => {
      req.off('data', count);
      resolve(req.complete);
    };
    function count(chunk: Buffer): void {
      discarded += chunk.length;
      if (discarded > MAX_DISCARDED) done();
    }
    req.once('end', done).once('close', done).on('data', count);
    req.unpipe();
    req.resume();
  });
}

/** Writes an answer to a connection for which node made no response, and ends the connection. */
export function writeRaw(socket: Duplex, answer: Answer, requestId: string): void {
  const headers = { 'X-Request-Id': requestId, ...answer.headers, Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write([`HTTP/1.1 ${answer.status} ${answer.title}`, ...lines, '', ''].join('\r\n'));
  socket.end(answer.body);
}
