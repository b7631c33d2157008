import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenReserved } from '../servers/ports.js';

/** A JSON-RPC request. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** How a node behaves that is not like anvil. */
export interface Habits {
  /** Calls that it takes in one request; 0 for one that knows no batches. */
  readonly largestBatch?: number;
  /** Methods that it refuses, each with its JSON-RPC error. */
  readonly refused?: Readonly<Record<string, { readonly code: number; readonly message: string }>>;
  /** The error for a block that the node lacks. Absent: null. */
  readonly lacking?: { readonly code: number; readonly message: string };
  /** The lowest block that it does not give; it names the newest one. */
  readonly givesBelow?: number;
  /** Answers a batch last call first. */
  readonly reversed?: boolean;
  /** Never answers. */
  readonly silent?: boolean;
  /** Closes the connection after each answer. */
  readonly closes?: boolean;
  /** Never answers requests with this method. */
  readonly silentTo?: string;
  /** Answers with another result than the node's. */
  readonly edit?: (call: Call, result: unknown) => unknown;
  /** Answers everything so. */
  readonly answer?: { readonly status: number; readonly body: string };
}

/** A node with habits of its own in front of a real one. */
export interface Proxy {
  readonly port: number;
  readonly url: string;
  /** Changes its habits. */
  become(habits: Habits): void;
  /** Requests so far, each with its calls and their methods. */
  readonly requests: readonly {
    readonly calls: readonly Call[];
    readonly methods: readonly string[];
    readonly authorization: string | undefined;
  }[];
  /** How often a method was called. */
  count(method: string): number;
  close(): Promise<void>;
}

/** Starts one in front of the node at `target`. */
export async function startProxy(target: string, initial: Habits = {}): Promise<Proxy> {
  let habits = initial;
  const requests: Proxy['requests'][number][] = [];
  const server = createServer((request, response) => {
    // Without its node it breaks off, as that does.
    serve(request, response).catch(() => request.socket.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const json = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
    const calls = [json].flat();
    requests.push({
      calls,
      methods: calls.map((it) => it.method),
      authorization: request.headers.authorization,
    });
    if (habits.silent || calls.some(({ method }) => method === habits.silentTo)) return;
    const { answer, largestBatch = Infinity, reversed, closes = false } = habits;
    response.shouldKeepAlive = !closes;
    if (answer !== undefined) {
      response.writeHead(answer.status).end(answer.body);
      return;
    }
    if (Array.isArray(json) && json.length > largestBatch) {
      const error = { code: -32_600, message: 'batch too large' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      return;
    }
    const answers = await Promise.all(calls.map(one));
    if (reversed) answers.reverse();
    response.end(JSON.stringify(Array.isArray(json) ? answers : answers[0]));
  }

  const givesBelow = (): number => habits.givesBelow ?? Infinity;

  async function one(call: Call): Promise<unknown> {
    const error = habits.refused?.[call.method];
    if (error !== undefined) return { jsonrpc: '2.0', id: call.id, error };
    const isHidden = call.method === 'eth_getBlockByNumber' && Number(call.params?.[0]) >= givesBelow();
    if (isHidden) return { jsonrpc: '2.0', id: call.id, result: null };
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(target, { method: 'POST', headers, body: JSON.stringify(call) });
    const answer = (await response.json()) as { readonly result?: unknown };
    const lacks = answer.result === null && call.method.startsWith('eth_getBlock');
    const { lacking, edit } = habits;
    if (lacks && lacking !== undefined) return { jsonrpc: '2.0', id: call.id, error: lacking };
    return edit !== undefined && 'result' in answer
      ? { ...answer, result: await edit(call, answer.result) }
      : answer;
  }

  const port = await listenReserved(server);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    become(next) {
      habits = next;
    },
    requests,
    count: (method) => requests.flatMap(({ methods }) => methods).filter((it) => it === method).length,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
