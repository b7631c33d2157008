import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { listenReserved } from '../servers/ports.js';
import { KEY } from './certificates.js';

/** A TLS server that forwards what it decrypts. */
export interface TlsRelay {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a relay with a certificate to a port of the loopback address, on a free port. Without a target it forwards nothing. */
export async function startTlsRelay(cert: string, target?: number): Promise<TlsRelay> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket, other?: Socket): void => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .once('close', () => {
        sockets.delete(socket);
        other?.destroy();
      });
  };
  const server = createServer({ cert, key: KEY }, (client) => {
    const remote = target === undefined ? undefined : createConnection({ host: '127.0.0.1', port: target });
    if (remote !== undefined) {
      keep(remote, client);
      client.pipe(remote).pipe(client);
    }
    keep(client, remote);
  });
  server.on('connection', (socket: Socket) => keep(socket));
  return {
    port: await listenReserved(server),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
