import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { StartError } from '../errors.js';
import type { App } from './app.js';
import { quietConnections, type QuietLimits } from './wire/quiet-connections.js';
import { serve } from './wire/wire.js';

/** Where to listen, and how long clients may take. */
export interface ListenOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Within which the headers of a request must arrive, ms; default 10,000. */
  readonly headersTimeoutMs?: number;
  /** Within which a whole request must arrive, ms; default 30,000. */
  readonly requestTimeoutMs?: number;
  /** After which a connection is torn on which nothing moves while an answer is made or sent, ms; default 60,000. */
  readonly idleTimeoutMs?: number;
  readonly quiet?: QuietLimits;
}

/** A server that takes requests. */
export interface Listening {
  /** Without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** Takes no more connections, lets requests in flight end within `graceMs`, then tears what is left. */
  close(graceMs: number): Promise<void>;
}

/** An idle connection is kept a little longer than the 60 s after which load balancers let go of theirs. */
const KEEP_ALIVE_MS = 61_000;

/** Serves the app. Rejects with a `StartError` when host and port cannot be listened on. */
export async function listen(app: App, options: ListenOptions): Promise<Listening> {
  const {
    host,
    port,
    headersTimeoutMs = 10_000,
    requestTimeoutMs = 30_000,
    idleTimeoutMs = 60_000,
    quiet = {},
  } = options;
  const checkingMs = Math.max(10, Math.min(1000, headersTimeoutMs / 5));
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // By default node looks every 30 s only, and would let a request of 10 s live for 40.
    connectionsCheckingInterval: checkingMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own answer to a request without Host would bear no X-Request-Id; `arrival` has the rule.
    requireHostHeader: false,
  });
  // A client that reads slowly is not cut off, one that has stopped reading is.
  server.timeout = idleTimeoutMs;
  // 16 KiB bound the headers already; node would drop those behind the 2,000th without a word.
  server.maxHeadersCount = 0;
  const { endConnections, lastResponse } = serve(server, app);
  const connections = connectionsOf(server);
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw notListening(error, host, port);
  }
  const sweeping = setInterval(quietConnections(connections, lastResponse, quiet), checkingMs);
  server.once('close', () => clearInterval(sweeping));
  const address = server.address() as AddressInfo;
  return {
    url: `http://${nameOf(host)}:${address.port}`,
    port: address.port,
    close(graceMs) {
      endConnections(connections);
      return close(server, connections, graceMs);
    },
  };
}

function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function notListening(cause: unknown, host: string, port: number): unknown {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const reasons: Record<string, string> = {
    EADDRINUSE: `${where} is in use by another program: stop it, or choose another port with PORT=${port < 65_535 ? port + 1 : 8081}`,
    EACCES: `${where} is not open to this user: choose a port above 1023 with PORT=8081`,
    EADDRNOTAVAIL: `${host} is no address of this machine: choose one that is with HOST, or leave HOST out`,
    ENOTFOUND: `the name ${host} is not known: choose an address of this machine with HOST, or leave HOST out`,
  };
  const reason = reasons[code];
  return reason === undefined ? cause : new StartError(reason, { cause });
}

function connectionsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

async function close(server: Server, connections: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // A connection whose last answer is out is idle, and node does not close it by itself.
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // Neither does it count those among the idle ones on which nothing has come yet.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, 20);
  const torn = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(torn);
}
