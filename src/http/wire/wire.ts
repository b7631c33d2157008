import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Answer, writeRaw } from '../answer.js';
import type { App } from '../app.js';
import type { Asker } from '../areas.js';
import { requestIdOf } from '../request-id.js';
import { logAnswer } from '../request-log.js';
import { type ClientError, faultOf, isMethodUnknown } from './wire-fault.js';
import { originForm, withoutQuery } from '../target.js';
import { type Stub, stubIn } from './wire-text.js';

/** How long a refused client may go on sending before its connection is torn, ms. */
const LINGER_MS = 2000;

/**
 * Serves requests through the app, and answers in the same manner those that never become one for node: too slow, no
 * HTTP, of an unknown method, CONNECT. All of these end the connection. After `endConnections`, which is told the open
 * ones, answers that have not begun say that they are the last on their connection. `lastResponse` is that to the newest
 * request of a connection.
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

  function refuse(socket: Duplex, stub: Stub, answer: Answer): void {
    if (!socket.writable) return void socket.destroy();
    app.observe(stub.method, answer.status, 0);
    logAnswer(app.log, { ...stub, status: answer.status, startedAt: performance.now() });
    writeRaw(socket, answer, stub.requestId);
    linger(socket);
  }

  server.on('request', onRequest);
  server.on('checkExpectation', onRequest);

  server.on('connect', (req: IncomingMessage, socket: Duplex) => {
    // Node has let go of the connection: a client that resets it would end the process.
    socket.on('error', () => socket.destroy());
    const stub = stubOf(req, requestIdOf(req.headers['x-request-id']));
    refuse(socket, stub, app.answerToMethod(stub.method, stub.path, askerOf(stub, socket)));
  });

  server.on('clientError', (error: ClientError, socket: Duplex) => {
    const fault = faultOf(error, server);
    // Whoever was refused may send the rest of what he has; nothing becomes of it.
    if (refused.has(socket) && error.code?.startsWith('HPE_')) return;
    if (fault === undefined || refused.has(socket)) return void socket.destroy();
    refused.add(socket);
    const res = latest.get(socket);
    const inBody = res !== undefined && !res.req.complete;
    // The answer is out already, and the rest of the body was only read for courtesy.
    if (inBody && res.headersSent) return void socket.destroy();
    const stub = inBody
      ? stubOf(res.req, String(res.getHeader('X-Request-Id')))
      : stubIn(error.rawPacket ?? Buffer.alloc(0), error.bytesParsed ?? 0);
    const answer = isMethodUnknown(error, stub)
      ? app.answerToMethod(stub.method, stub.path, askerOf(stub, socket))
      : app.answerTo(fault, stub.method, stub.path);
    // The answer to a request before it on the same connection goes first.
    if (res === undefined || inBody || res.writableFinished) refuse(socket, stub, answer);
    else res.once('finish', () => refuse(socket, stub, answer));
  });

  return {
    lastResponse: (connection) => latest.get(connection),
    endConnections(connections) {
      ending = true;
      for (const socket of connections) {
        // With others behind it on its connection, an answer is not the last.
        const last = latest.get(socket);
        if (last !== undefined) last.shouldKeepAlive = false;
      }
    },
  };
}

function stubOf(req: IncomingMessage, requestId: string): Stub {
  const path = withoutQuery(originForm(req.url ?? ''));
  return { requestId, method: req.method ?? '', path, headers: req.headers };
}

function askerOf({ headers }: Stub, socket: Duplex): Asker {
  return { headers, remoteAddress: socket instanceof Socket ? socket.remoteAddress : undefined };
}

/**
 * Closes a connection once the other side has read its answer and closed too, or after a while: closing on bytes
 * unread takes the answer away from a client that is still sending.
 */
function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}
