import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A received webhook. */
export interface Received {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A receiver of webhooks on this machine. */
export interface Receiver {
  readonly url: string;
  /** Firings in order of arrival, without repetitions. */
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Starts a receiver on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const received = new Map<string, Received>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Received['body'];
      if (!received.has(id)) received.set(id, { id, body });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/scale`,
    get received() {
      return [...received.values()];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
