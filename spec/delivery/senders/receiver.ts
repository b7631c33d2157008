import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { listenReserved } from '../../servers/ports.js';

/** A request of a receiver, with its body. */
export interface Got {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly socket: Socket;
}

/** A webhook receiver. A spec answers its requests once their bodies are complete. */
export interface Receiver {
  readonly origin: string;
  readonly port: number;
  readonly got: Got[];
  /** Connections so far. */
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
}

/** Starts a receiver, on a reserved port by default. */
export async function startReceiver(
  answer: (response: http.ServerResponse, got: Got) => void,
  options: { readonly host?: string; readonly port?: number; readonly server?: http.Server } = {},
): Promise<Receiver> {
  const got: Got[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server = options.server ?? http.createServer();
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  const receive = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', url = '', headers, rawHeaders, socket } = request;
    const whole = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString('utf8'), socket };
    got.push(whole);
    answer(response, whole);
  };
  server.on('request', (request, response) => void receive(request, response));
  const port = await listenReserved(server, options.port, options.host);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    got,
    connections: () => connections,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Resolves when a connection is closed, with or without an error. */
export const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.on('close', () => resolve());
  });
