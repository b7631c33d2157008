import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** A server that forwards all bytes to another one. */
export interface Relay {
  readonly port: number;
  /** Data that clients have sent, in pieces. */
  readonly sent: readonly Buffer[];
  close(): Promise<void>;
}

/** Starts a relay to a port of the loopback address, on a free port unless given one. `host`: the address it listens on. */
export async function startRelay(target: number, port = 0, host = '127.0.0.1'): Promise<Relay> {
  const sent: Buffer[] = [];
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
    client.on('data', (data) => sent.push(data)).pipe(remote);
    remote.pipe(client);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    sent,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
