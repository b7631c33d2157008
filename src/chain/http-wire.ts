import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { boundedText } from '../untrusted/text.js';
import { jsonOf } from '../untrusted/json.js';
import { batches, envelope, inOrder } from './batches.js';
import {
  LARGEST_ANSWER,
  malformed,
  outcomeOf,
  type RpcRequest,
  uncertain,
  unreachable,
  type Wire,
} from './exchange.js';
import { ChainUnavailable } from './port.js';

/** Time after which an idle connection is closed, ms: less than nodes and proxies keep it. */
const IDLE_MS = 4_000;
const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/** Connections that end because nobody needs them any more. */
type Expected = WeakSet<Socket>;

/**
 * JSON-RPC over HTTP, with the client of Node.js. web3's HttpProvider opens a connection for every request, reads answers
 * of any size, and puts the node's address, which may hold a key, into its errors. `fetch` costs several times as much.
 * `onLost` is called when a connection ends that neither side has ended for want of requests, and when none can be opened.
 */
export function httpWire(url: string, onLost: () => void = () => undefined): Wire {
  const address = new URL(url);
  const { Agent, request } = address.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const expected: Expected = new WeakSet();
  let closed = false;

  function watch(socket: Socket): void {
    socket.once('timeout', () => expected.add(socket));
    socket.once('close', () => {
      if (!closed && !expected.has(socket)) onLost();
    });
  }

  function answered(body: string, signal: AbortSignal, isRepeated = false): Promise<Response> {
    return new Promise((resolve, reject) => {
      // An agent that is destroyed opens connections all the same.
      if (closed) throw new Error('the connection to it is closed');
      const asked = request(address, { method: 'POST', headers: HEADERS, agent, signal });
      asked.once('socket', (socket) => {
        if (!asked.reusedSocket) watch(socket);
      });
      let isAnswered = false;
      asked.once('response', (message) => {
        isAnswered = true;
        if (!asked.shouldKeepAlive) expected.add(message.socket);
        resolve({ message, isRepeated });
      });
      asked.on('error', (error: NodeJS.ErrnoException) => {
        // The end of a connection in the middle of an answer is an error of `message` too.
        if (isAnswered) return;
        // The node closes a kept connection while the request is on its way. So does `close`.
        const isStale =
          !closed && asked.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (isStale) resolve(answered(body, signal, true));
        else reject(error);
      });
      asked.end(body);
    });
  }

  async function post(body: unknown, signal: AbortSignal) {
    try {
      return await read(await answered(JSON.stringify(body), signal));
    } catch (error) {
      throw error instanceof ChainUnavailable ? error : unreachable(url, error);
    }
  }

  async function together(requests: readonly RpcRequest[], signal: AbortSignal) {
    const [first, ...others] = requests;
    const isOne = first !== undefined && others.length === 0;
    const { status, isCertain, json } = await post(isOne ? envelope(first) : requests.map(envelope), signal);
    const outcome = isOne ? outcomeOf(json) : undefined;
    if (outcome === undefined && (isOne || !Array.isArray(json))) {
      if (isOne || isPassing(status)) throw unexpected(status);
      return undefined;
    }
    const outcomes = outcome === undefined ? inOrder(requests, json as unknown[]) : [outcome.value];
    return isCertain ? outcomes : uncertain(outcomes);
  }

  const close = (): void => {
    closed = true;
    agent.destroy();
  };

  return { exchange: batches(together), announces: () => false, late() {}, close };
}

interface Response {
  readonly message: IncomingMessage;
  /** True if the request was sent twice. */
  readonly isRepeated: boolean;
}

/** `isCertain`: as for `NodeError`. `json`: undefined if the answer is not JSON. */
async function read({ message, isRepeated }: Response) {
  const tooLong = (): ChainUnavailable => malformed(`more than ${LARGEST_ANSWER} bytes`);
  const text = await boundedText(message, LARGEST_ANSWER, tooLong);
  const status = message.statusCode ?? 0;
  return { status, isCertain: !isRepeated && !isPassing(status), json: jsonOf(text) };
}

/** True for a status that does not depend on the request: the same request may be answered later, or for other callers. */
function isPassing(status: number): boolean {
  return [401, 403, 408, 429].includes(status) || status >= 500;
}

function unexpected(status: number): ChainUnavailable {
  if (status < 300) return malformed('its answer is not JSON-RPC');
  const advice = status === 429 || status >= 500 ? '' : '; check CHAIN_RPC_URL';
  return new ChainUnavailable(`The chain's node answered ${status}${advice}.`, {
    reason: `it answered ${status}`,
  });
}
