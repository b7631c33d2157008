import { createConnection, type Socket } from 'node:net';
import { factsBody, factsPath } from './facts-load.js';
import type { Target } from './target.js';

/** A load of facts on several nodes. */
export interface RoutedLoad {
  readonly nodes: readonly Target[];
  /** `hashed`: each server has one node. `random`: each fact picks one. */
  readonly routing: 'hashed' | 'random';
  /** Number of servers. */
  readonly servers: number;
  /** Clients. Each has a connection to each node, and sends one fact after the other. */
  readonly connections: number;
  readonly seconds: number;
}

/** Result of a load on several nodes. */
export interface RoutedResult {
  /** Number of answers of 200. */
  readonly facts: number;
  readonly factsPerS: number;
  /** ms. */
  readonly p99: number;
  /** Number of other answers. */
  readonly failed: number;
}

/** Loads nodes with facts. The clients share out the servers: each starts with another one. */
export async function routedLoad(options: RoutedLoad): Promise<RoutedResult> {
  const { nodes, routing, servers, connections, seconds } = options;
  const requests = Array.from({ length: servers }, (_, n) => requestOf(n));
  const took: number[] = [];
  let failed = 0;
  const begun = performance.now();
  const end = begun + seconds * 1000;

  const client = async (index: number): Promise<void> => {
    const wires = await Promise.all(nodes.map((node) => connect(Number(new URL(node.url).port))));
    for (let at = index * 389; performance.now() < end; at += 1) {
      const server = at % servers;
      const node = routing === 'hashed' ? server % nodes.length : Math.floor(Math.random() * nodes.length);
      const sentAt = performance.now();
      if ((await wires[node]!.ask(requests[server]!)) !== 200) failed += 1;
      else took.push(performance.now() - sentAt);
    }
    for (const wire of wires) wire.end();
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => client(index)));
  took.sort((a, b) => a - b);
  return {
    facts: took.length,
    factsPerS: (took.length / (performance.now() - begun)) * 1000,
    p99: took[Math.floor(took.length * 0.99)] ?? Infinity,
    failed,
  };
}

function requestOf(n: number): Buffer {
  const body = factsBody(n, 1);
  const head = [
    `POST ${factsPath(n)} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Accept: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** A connection that is less work for the load generator than an HTTP client. */
interface Wire {
  /** Sends a request; resolves with the status of the answer, 0 if the connection ends first. */
  ask(request: Buffer): Promise<number>;
  end(): void;
}

async function connect(port: number): Promise<Wire> {
  const socket: Socket = await new Promise((resolve, reject) => {
    const opened = createConnection({ host: '127.0.0.1', port, noDelay: true }, () => resolve(opened));
    opened.once('error', reject);
  });
  let answered: (status: number) => void = () => undefined;
  let text = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    text += String(piece);
    const body = text.indexOf('\r\n\r\n') + 4;
    if (body < 4 || text.length < body + Number(/^content-length: (\d+)/im.exec(text)![1])) return;
    const status = Number(text.slice(9, 12));
    text = '';
    answered(status);
  });
  socket.on('error', () => undefined).once('close', () => answered(0));
  return {
    ask: (request) =>
      new Promise((resolve) => {
        answered = resolve;
        if (socket.destroyed) resolve(0);
        else socket.write(request);
      }),
    end: () => socket.destroy(),
  };
}
