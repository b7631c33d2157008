import { WebSocketProvider } from 'web3';
import { jsonOf } from '../untrusted/json.js';
import { batches, envelope, inOrder } from './batches.js';
import { LARGEST_ANSWER, type RpcRequest, unreachable, type Wire } from './exchange.js';
import type { ChainUnavailable } from './port.js';

/** First and longest pause before a lost connection is opened again, ms. It doubles each time. */
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5_000;
/** Id of the subscription to new blocks. The ids of calls begin at 1. */
const SUBSCRIPTION_ID = 0;

export interface SocketWireOptions {
  readonly url: string;
  /** Maximum time to open a connection, ms. */
  readonly timeoutMs: number;
  /** Called when the node announces a block. */
  readonly onHead: () => void;
  /** Called when a connection is open after one was lost. */
  readonly onReconnect: () => void;
  /** Called when a connection has ended. */
  readonly onLost: () => void;
}

/**
 * JSON-RPC over WebSocket. A connection that ends, or on which an answer is late, is replaced, with back-off after the first
 * attempt.
 */
export function socketWire({ url, timeoutMs, onHead, onReconnect, onLost }: SocketWireOptions): Wire {
  let current: Promise<Socket> | undefined;
  let drop = (): void => undefined;
  let failures = 0;
  let announces = false;
  let closed = false;
  /** Why the last connection ended; undefined if nothing said so. */
  let fault: unknown;
  let timer: NodeJS.Timeout | undefined;

  function connect(): Promise<Socket> {
    const opening = new Promise<Socket>((resolve, reject) => {
      const onOpen = (): void => {
        failures = 0;
        resolve(socket);
        void subscribe(socket).then((subscribed) => {
          announces = subscribed && drop === end;
        });
      };
      const socket = new Socket(url, timeoutMs, onOpen, onHead);
      let why: unknown;
      const end = (): void => {
        const error = unreachable(url, why);
        reject(error);
        socket.end(error);
        if (drop !== end) return;
        fault = why;
        lost();
      };
      drop = end;
      // Errors are emitted after the end as well: without a listener each would end the process.
      socket.on('error', (event: unknown) => {
        // An event of `ws` has the error in a getter.
        why ??= (event as { readonly error?: unknown }).error ?? event;
        end();
      });
      socket.on('disconnect', end);
    });
    opening.catch(() => undefined);
    return opening;
  }

  function lost(): void {
    current = undefined;
    announces = false;
    drop = () => undefined;
    if (closed) return;
    onLost();
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
    failures += 1;
    timer = setTimeout(() => {
      current = connect();
      current.then(onReconnect, () => undefined);
    }, delay).unref();
  }

  current = connect();
  return {
    exchange: batches(async (requests) => {
      if (current === undefined) throw unreachable(url, fault);
      return (await current).exchange(requests);
    }),
    announces: () => announces,
    late: () => drop(),
    close() {
      closed = true;
      clearTimeout(timer);
      drop();
    },
  };
}

/** True if the node announces new blocks from now on. */
async function subscribe(socket: Socket): Promise<boolean> {
  const request = { id: SUBSCRIPTION_ID, method: 'eth_subscribe', params: ['newHeads'] };
  const [outcome] = (await socket.exchange([request]).catch(() => undefined)) ?? [];
  return outcome !== undefined && !(outcome instanceof Error);
}

interface Pending {
  readonly requests: readonly RpcRequest[];
  readonly answers: unknown[];
  resolve(values: readonly unknown[] | undefined): void;
  reject(error: Error): void;
}

/**
 * A connection of web3's provider, without the provider's own requests: it prints their errors, and loses the answers to a
 * batch that come in another order than its requests.
 */
class Socket extends WebSocketProvider {
  readonly #pending = new Map<unknown, Pending>();
  /** The error of requests after the end. */
  #ended: ChainUnavailable | undefined;

  constructor(
    url: string,
    timeoutMs: number,
    private readonly onOpen: () => void,
    private readonly onNotification: () => void,
  ) {
    super(url, { handshakeTimeout: timeoutMs, maxPayload: LARGEST_ANSWER }, { autoReconnect: false });
  }

  /** Sends a request, or several as a batch. Resolves with undefined if the node takes no batch. Rejects when it ends. */
  exchange(requests: readonly RpcRequest[]): Promise<readonly unknown[] | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      const pending = { requests, answers: [], resolve, reject };
      for (const { id } of requests) this.#pending.set(id, pending);
      const [first, ...others] = requests.map(envelope);
      const text = JSON.stringify(others.length === 0 ? first : [first, ...others]);
      (this.SocketConnection as { send(text: string): void }).send(text);
    });
  }

  /** Ends the connection at once. `error`: that of its requests. */
  end(error: ChainUnavailable): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    for (const batch of this.#pending.values()) batch.reject(error);
    this.#pending.clear();
    (this.SocketConnection as { terminate(): void } | undefined)?.terminate();
  }

  protected override _onConnect(): void {
    this.onOpen();
  }

  protected override _onMessage(event: { readonly data: unknown }): void {
    const message = jsonOf(String(event.data));
    if ((message as { method?: unknown } | null)?.method === 'eth_subscription') {
      this.onNotification();
    } else if (Array.isArray(message)) {
      const batches = new Set(message.map((answer: unknown) => this.#take(answer)));
      for (const batch of batches) if (batch !== undefined) this.#finish(batch);
    } else {
      const batch = this.#take(message);
      if (batch === undefined) this.#refuseBatches();
      else if (batch.answers.length === batch.requests.length) this.#finish(batch);
    }
  }

  #take(answer: unknown): Pending | undefined {
    const pending = this.#pending.get((answer as { id?: unknown } | null)?.id);
    pending?.answers.push(answer);
    return pending;
  }

  #finish(batch: Pending): void {
    for (const { id } of batch.requests) this.#pending.delete(id);
    batch.resolve(inOrder(batch.requests, batch.answers));
  }

  /** Called for an answer without a request: the node does not take batches. */
  #refuseBatches(): void {
    for (const batch of new Set(this.#pending.values())) {
      if (batch.requests.length === 1) continue;
      for (const { id } of batch.requests) this.#pending.delete(id);
      batch.resolve(undefined);
    }
  }
}
