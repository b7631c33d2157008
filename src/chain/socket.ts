import { WebSocketProvider } from 'web3';
import { jsonOf } from '../untrusted/json.js';
import { envelope, inOrder } from './batches.js';
import { LARGEST_ANSWER, unreachable } from './exchange.js';
import type { RpcRequest } from './exchange.js';

interface Pending {
  readonly requests: readonly RpcRequest[];
  readonly answers: unknown[];
  resolve(values: readonly unknown[] | undefined): void;
  reject(error: Error): void;
}

interface SocketEvents {
  readonly onOpen: () => void;
  readonly onNotification: () => void;
}

/**
 * A connection of web3's provider. The provider's own book-keeping stays unused: it asks questions of its own, prints
 * what fails in them, and loses the answers to a batch that come in another order than the questions.
 */
export class Socket extends WebSocketProvider {
  readonly #events: SocketEvents;
  readonly #pending = new Map<unknown, Pending>();
  #ended = false;

  constructor(url: string, timeoutMs: number, events: SocketEvents) {
    super(url, { handshakeTimeout: timeoutMs, maxPayload: LARGEST_ANSWER }, { autoReconnect: false });
    this.#events = events;
  }

  /** Sends one request, or several as a batch; undefined where the node takes no batch. Rejects when it ends. */
  ask(requests: readonly RpcRequest[]): Promise<readonly unknown[] | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(unreachable());
        return;
      }
      const pending = { requests, answers: [], resolve, reject };
      for (const { id } of requests) this.#pending.set(id, pending);
      const [first, ...others] = requests.map(envelope);
      const text = JSON.stringify(others.length === 0 ? first : [first, ...others]);
      (this.SocketConnection as { send(text: string): void }).send(text);
    });
  }

  /** Ends the connection at once, whatever the other side does. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const batch of this.#pending.values()) batch.reject(unreachable());
    this.#pending.clear();
    (this.SocketConnection as { terminate(): void } | undefined)?.terminate();
  }

  protected override _onConnect(): void {
    this.#events.onOpen();
  }

  protected override _onMessage(event: { readonly data: unknown }): void {
    const message = jsonOf(String(event.data));
    if ((message as { method?: unknown } | null)?.method === 'eth_subscription') {
      this.#events.onNotification();
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

  /** What answers no request in particular can only mean that batches are not understood. */
  #refuseBatches(): void {
    for (const batch of new Set(this.#pending.values())) {
      if (batch.requests.length === 1) continue;
      for (const { id } of batch.requests) this.#pending.delete(id);
      batch.resolve(undefined);
    }
  }
}
