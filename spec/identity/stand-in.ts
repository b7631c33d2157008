import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenReserved } from '../servers/ports.js';

/** A received request. */
export interface Received {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** HTTP server that stands in for an identity service. */
export interface StandIn {
  readonly url: string;
  /** Requests received so far. */
  readonly requests: readonly Received[];
  close(): Promise<void>;
}

/** Answers one request. */
export type Handler = (request: Received, response: ServerResponse) => void;

/** Starts a stand-in on a free port of the loopback interface. */
export async function standIn(handler: Handler): Promise<StandIn> {
  const requests: Received[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body };
      requests.push(request);
      handler(request, response);
    });
  });
  const port = await listenReserved(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers with JSON. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
