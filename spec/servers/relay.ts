import { createConnection, createServer, type Socket } from 'node:net';
import { listenReserved } from './ports.js';

/** A server that forwards what its clients send to another one, and the answers to them. */
export interface SocketRelay {
  readonly port: number;
  close(): Promise<void>;
}

/** A relay that forwards all bytes. */
export interface Relay extends SocketRelay {
  /** Data that clients have sent, in pieces. */
  readonly sent: readonly Buffer[];
}

/** Starts a relay to a port of the loopback address, on a reserved port unless given one. `host`: the address it listens on. */
export async function startRelay(target: number, port?: number, host?: string): Promise<Relay> {
  const sent: Buffer[] = [];
  const forward = (client: Socket, remote: Socket): void => {
    client.on('data', (data) => sent.push(data)).pipe(remote);
    remote.pipe(client);
  };
  return { ...(await relaySockets(target, forward, port, host)), sent };
}

/**
 * As `startRelay`. `forward` is called for each connection of a client, with the one to the server: it forwards in both
 * directions. The end of one connection ends the other.
 */
export async function relaySockets(
  target: number,
  forward: (client: Socket, remote: Socket) => void,
  port?: number,
  host?: string,
): Promise<SocketRelay> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const remote = createConnection({ host: '127.0.0.1', port: target });
    for (const socket of [client, remote]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .once('close', () => {
          client.destroy();
          remote.destroy();
        });
    }
    forward(client, remote);
  });
  return {
    port: await listenReserved(server, port, host),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
