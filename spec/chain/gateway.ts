import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Hex } from '../../src/chain/port.js';
import { listenReserved } from '../servers/ports.js';

/** A JSON-RPC request. */
interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The behaviour of a gateway with transactions. */
export interface Habits {
  /** True if it passes them on to the node before it answers. */
  readonly passesOn: boolean;
  /** The node's answers, those once `answerLate` is called, none, a closed connection, or an error of its own. */
  readonly answers: 'node' | 'late' | 'silence' | 'cut' | OwnError;
  /** True if it is honest with transactions that it was sent before it became so. */
  readonly toNew?: boolean;
  /** True where a node that has no transactions answers to `eth_getTransactionByHash`. */
  readonly isBlind?: boolean;
}

/** An error of JSON-RPC, with -32000 and HTTP status 200 unless they are said. */
export interface OwnError {
  readonly message: string;
  readonly code?: number;
  readonly status?: number;
}

/** A gateway in front of a chain's node: it passes everything on, and does with transactions what a spec says. */
export interface Gateway {
  readonly url: string;
  /** The transactions that it was sent so far, those sent again included. */
  readonly sent: readonly Hex[];
  become(habits: Habits): void;
  /** Resolves once it was sent a number of transactions in all. */
  untilSent(count: number): Promise<void>;
  /** Gives the answers that it has held back. */
  answerLate(): void;
  close(): Promise<void>;
}

const LOOK_UP = 'eth_getTransactionByHash';

/** A gateway that does nothing of its own. */
export const HONEST: Habits = { passesOn: true, answers: 'node' };

/** Starts a gateway in front of the node at an http URL, on a reserved port unless one is given. */
export async function startGateway(target: string, port?: number): Promise<Gateway> {
  let habits = HONEST;
  const sent: Hex[] = [];
  let sentBefore: ReadonlySet<Hex> = new Set();
  const watchers = new Set<() => void>();
  let waiting: (() => void)[] = [];
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = (await json(request)) as Call | readonly Call[];
    const calls = [asked].flat() as readonly Call[];
    const isSending = calls.some(({ method }) => method === 'eth_sendRawTransaction');
    if (!isSending) return void response.end(await looked(asked));
    const isKnown = calls.every(({ params }) => sentBefore.has(params[0] as Hex));
    const { passesOn, answers } = habits.toNew === true && isKnown ? HONEST : habits;
    const passed = passesOn ? await pass(target, asked) : undefined;
    note(calls);
    if (answers === 'silence') return;
    if (answers === 'cut') return void request.socket.resetAndDestroy();
    if (answers === 'late') {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
    if (typeof answers === 'string') return void response.end(passed);
    const { message, code = -32_000, status = 200 } = answers;
    const errors = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } }));
    response.writeHead(status).end(JSON.stringify(Array.isArray(asked) ? errors : errors[0]));
  }

  /** The answer to what is not a transaction. */
  async function looked(asked: Call | readonly Call[]): Promise<string> {
    const passed = await pass(target, asked);
    if (!habits.isBlind) return passed;
    const calls = [asked].flat() as readonly Call[];
    const blind = new Set(calls.filter(({ method }) => method === LOOK_UP).map(({ id }) => id));
    const hide = (answer: { id: number }): object =>
      blind.has(answer.id) ? { ...answer, result: null } : answer;
    const answers = JSON.parse(passed) as { id: number } | { id: number }[];
    return JSON.stringify(Array.isArray(answers) ? answers.map(hide) : hide(answers));
  }

  function note(calls: readonly Call[]): void {
    for (const { params } of calls) sent.push(params[0] as Hex);
    for (const look of watchers) look();
  }

  return {
    url: `http://127.0.0.1:${await listenReserved(server, port)}`,
    sent,
    become(next) {
      habits = next;
      sentBefore = new Set(sent);
    },
    untilSent(count) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (sent.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
    answerLate() {
      for (const answer of waiting) answer();
      waiting = [];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** The text of the node's answer. */
async function pass(target: string, body: unknown): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(target, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.text();
}
