import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { App } from '../app.js';
import type { Sender } from '../admission/client-address.js';
import { type Answer, writeRaw } from '../failures/failure-answer.js';
import { originForm, requestIdOf, withoutQuery } from '../request-head.js';
import {
  type ClientError,
  faultOf,
  isMethodUnknown,
  type UnparsedRequest,
  unparsedRequest,
} from './unparsed-request.js';

/** Time, ms, that a refused client may continue to send before its connection is closed. */
const LINGER_MS = 2000;

/**
 * Serves requests through the app. Also answers those that node does not parse or serve: too slow, no HTTP, an unknown
 * method, CONNECT. These answers end the connection. `endConnections` takes the open connections: from then on, answers
 * that have not begun announce the end of their connection. `lastResponse` returns the response to the newest request of
 * a connection.
 */
export function serve(
  server: Server,
  app: App,
): {
  readonly endConnections: (connections: Iterable<Duplex>) => void;
  readonly lastResponse: (connection: Duplex) => ServerResponse | undefined;
} {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  let ending = false;

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    latest.set(req.socket, res);
    if (ending) res.shouldKeepAlive = false;
    void app.handle(req, res);
  }

  function refuse(socket: Duplex, request: UnparsedRequest, answer: Answer): void {
    if (!socket.writable) return void socket.destroy();
    app.observe(request.method, answer.status, 0, undefined);
    app.logAnswer({ ...request, status: answer.status, startedAt: performance.now() });
    const { method, path } = request;
    const { status, message } = answer;
    if (status < 500) app.onRefused({ method, path, status, message });
    writeRaw(socket, answer, request.requestId);
    linger(socket);
  }

  server.on('request', onRequest);
  server.on('checkExpectation', onRequest);

  server.on('connect', (req: IncomingMessage, socket: Duplex) => {
    // Node no longer handles errors of this connection: without a listener a reset would end the process.
    socket.on('error', () => socket.destroy());
    const request = requestOf(req, requestIdOf(req.headers['x-request-id']));
    refuse(socket, request, app.answerToMethod(request.method, request.path, senderOf(request, socket)));
  });

  server.on('clientError', (error: ClientError, socket: Duplex) => {
    const fault = faultOf(error, server);
    // A refused client may send the rest of its request, which is ignored.
    if (refused.has(socket) && error.code?.startsWith('HPE_')) return;
    if (fault === undefined || refused.has(socket)) return void socket.destroy();
    refused.add(socket);
    const res = latest.get(socket);
    const inBody = res !== undefined && !res.req.complete;
    // The answer has begun. The rest of the body is only discarded.
    if (inBody && res.headersSent) return void socket.destroy();
    const request = inBody
      ? requestOf(res.req, String(res.getHeader('X-Request-Id')))
      : unparsedRequest(error);
    const answer = isMethodUnknown(error, request)
      ? app.answerToMethod(request.method, request.path, senderOf(request, socket))
      : app.answerTo(fault, request.method, request.path, request.headers['content-type']);
    // The answer to an earlier request of the same connection goes first.
    if (res === undefined || inBody || res.writableFinished) refuse(socket, request, answer);
    else res.once('finish', () => refuse(socket, request, answer));
  });

  return {
    lastResponse: (connection) => latest.get(connection),
    endConnections(connections) {
      ending = true;
      for (const socket of connections) {
        // Of several answers on a connection, only the last announces its end.
        const last = latest.get(socket);
        if (last !== undefined) last.shouldKeepAlive = false;
      }
    },
  };
}

function requestOf(req: IncomingMessage, requestId: string): UnparsedRequest {
  const path = withoutQuery(originForm(req.url ?? ''));
  return { requestId, method: req.method ?? '', path, headers: req.headers };
}

function senderOf({ headers }: UnparsedRequest, socket: Duplex): Sender {
  return { headers, socket: socket instanceof Socket ? socket : {} };
}

/**
 * Reads and discards the rest of a refused connection, and closes it after `LINGER_MS`: a connection closed with unread
 * bytes is reset, and the client loses the answer.
 */
function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}
