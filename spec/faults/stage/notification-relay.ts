import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { CallbackHost } from '../../servers/broker.js';
import { listenReserved } from '../../servers/ports.js';

/** An entity in a notification. */
export type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

/** A server that forwards notifications, and knows which ones were answered with 200. */
export interface NotificationRelay {
  readonly url: string;
  /** The entities of the notifications that arrived here, in their order. */
  readonly sent: readonly Entity[];
  /** Those of them that were acknowledged. */
  readonly acknowledged: ReadonlySet<Entity>;
  close(): Promise<void>;
}

/**
 * Starts a relay to a port of the loopback address. A notification that is not answered ends in a cut connection. `host`:
 * where a broker on another machine reaches it.
 */
export async function relayNotifications(
  target: number,
  host: CallbackHost = { name: '127.0.0.1', listen: '127.0.0.1' },
): Promise<NotificationRelay> {
  const agent = new Agent({ keepAlive: true });
  const sent: Entity[] = [];
  const acknowledged = new Set<Entity>();

  const forward = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(incoming);
    const { data } = JSON.parse(body) as { data: readonly Entity[] };
    sent.push(...data);
    const { connection: _, host: _host, ...headers } = incoming.headers;
    const passed = request({ port: target, path: incoming.url, method: 'POST', agent, headers });
    passed.once('error', () => response.destroy());
    passed.once('response', (answer) => {
      text(answer).then(
        (said) => {
          if (answer.statusCode === 200) for (const entity of data) acknowledged.add(entity);
          response.writeHead(answer.statusCode!).end(said);
        },
        () => response.destroy(),
      );
    });
    passed.end(body);
  };

  const server = createServer((incoming, response) => {
    forward(incoming, response).catch(() => response.destroy());
  });
  const port = await listenReserved(server, undefined, host.listen);
  return {
    url: `http://${host.name}:${port}`,
    sent,
    acknowledged,
    async close() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}
