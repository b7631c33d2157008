import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { StartError } from '../errors.js';
import type { App } from './app.js';
import { idleConnections, type IdleLimits } from './wire/idle-connections.js';
import { serve } from './wire/wire.js';

/** The address to listen on, and the timeouts of clients. */
export interface ListenOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Time for the headers of a request to arrive, ms; default 10,000. */
  readonly headersTimeoutMs?: number;
  /** Time for a whole request to arrive, ms; default 30,000. */
  readonly requestTimeoutMs?: number;
  /** Time without traffic, while an answer is made or sent, after which a connection is closed, ms; default 60,000. */
  readonly idleTimeoutMs?: number;
  readonly idle?: IdleLimits;
}

/** A server that accepts requests. */
export type Listening = Awaited<ReturnType<typeof listen>>;

/** Keep-alive of idle connections: a little longer than the 60 s of common load balancers. */
const KEEP_ALIVE_MS = 61_000;

/** Serves the app. Rejects with a `StartError` if it cannot listen on host and port. */
export async function listen(app: App, options: ListenOptions) {
  const {
    host,
    port,
    headersTimeoutMs = 10_000,
    requestTimeoutMs = 30_000,
    idleTimeoutMs = 60_000,
    idle = {},
  } = options;
  const checkingMs = Math.max(10, Math.min(1000, headersTimeoutMs / 5));
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Node's default is 30 s: a timeout of 10 s could take 40 s.
    connectionsCheckingInterval: checkingMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own answer to a request without Host has no X-Request-Id; `readHead` has the rule.
    requireHostHeader: false,
  });
  // Cuts off clients that have stopped reading, but not slow readers.
  server.timeout = idleTimeoutMs;
  // Headers are limited to 16 KiB. Node's own limit would silently drop those after the 2,000th.
  server.maxHeadersCount = 0;
  const { endConnections, lastResponse } = serve(server, app);
  const connections = connectionsOf(server);
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw notListening(error, host, port);
  }
  const sweeping = setInterval(idleConnections(connections, lastResponse, idle), checkingMs);
  server.once('close', () => clearInterval(sweeping));
  const address = server.address() as AddressInfo;
  return {
    /** Without a slash at its end. */
    url: `http://${hostInUrl(host)}:${address.port}`,
    port: address.port,
    /** From now on, answers end their connections. */
    endConnections: (): void => endConnections(connections),
    /** Stops listening, waits at most `graceMs` for the requests in flight, then closes the remaining connections. */
    close(graceMs: number): Promise<void> {
      endConnections(connections);
      return close(server, connections, graceMs);
    },
  };
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function notListening(cause: unknown, host: string, port: number): unknown {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const reasons: Record<string, string> = {
    EADDRINUSE: `${where} is in use by another program: stop it, or choose another port with PORT=${port < 65_535 ? port + 1 : 8081}`,
    EACCES: `${where} is not open to this user: choose a port above 1023 with PORT=8081`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: choose one that is with HOST, or leave HOST out`,
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
  // Node does not close connections that become idle later.
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // Node does not count connections without any request as idle.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, 20);
  const torn = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(torn);
}
