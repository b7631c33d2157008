import { parentPort } from 'node:worker_threads';
import { Refusal, type RefusalCode } from '../errors.js';
import { restartingWorker } from '../system/restarting-worker.js';
import { ClientQueue, type Queued } from './client-queue.js';

/**
 * Longest body, bytes, that is parsed and checked on the event loop. A longer one may have thousands of members, and goes
 * to a thread.
 */
export const LARGEST_INLINE = 16_384;

/** An inflated body, and what the thread is to do with it. */
export interface BodyOrder {
  readonly bytes: Buffer;
  /** Whose body it is: a client address, or a tenant. Clients take turns. */
  readonly client?: string | undefined;
  /** Called when the turn of the body has come. If it throws, the thread does nothing for it. */
  readonly begin?: () => void;
}

/** An order on its way to the thread: a `Buffer` loses its type when it is transferred. */
export interface OrderMessage<O extends BodyOrder> {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly order: WithoutBytes<O>;
}

type WithoutBytes<T> = T extends unknown ? Omit<T, 'bytes' | 'begin'> : never;

/** The thread's answer to an order. */
export type Answer<R> =
  | { readonly is: 'done'; readonly result: R }
  | { readonly is: 'refused'; readonly code: RefusalCode; readonly message: string };

/** Maximum size of all waiting bodies, bytes. A single body may be larger. */
const MAX_WAITING = 128 * 1024 ** 2;

/** A thread that works on large bodies, one order at a time. */
export interface BodyThread<O extends BodyOrder, R> {
  /**
   * Returns the result of an order. Throws the `Refusal` of the order, and what its `begin` throws;
   * `Refusal('unavailable')` if too many bytes wait or the service stops; an `Error` if the thread dies during this order.
   */
  run(order: O): Promise<R>;
  close(): Promise<void>;
}

interface Task<O, R> extends Queued {
  readonly order: O;
  readonly resolve: (result: R) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Makes a thread that starts with its first order, and again after its death. `file` is the module that it runs, which
 * calls `serveOrders`; `data` is its `workerData`.
 */
export function bodyThread<O extends BodyOrder, R>(file: URL, data?: unknown): BodyThread<O, R> {
  const waiting = new ClientQueue<Task<O, R>>(MAX_WAITING);
  let current: Task<O, R> | undefined;
  let closed = false;
  const thread = restartingWorker<Answer<R>>({
    file,
    data,
    onAnswer: (answer) => finish((task) => settle(answer, task)),
    onDeath: (cause) =>
      finish((task) => task.reject(new Error('the thread of large bodies died over one', { cause }))),
  });

  function finish(how: (task: Task<O, R>) => void): void {
    const task = current;
    current = undefined;
    if (task !== undefined) how(task);
    next();
  }

  function next(): void {
    if (current !== undefined) return;
    current = nextToBegin();
    if (current === undefined) return thread.idle();
    const { bytes: received, begin: _begin, ...order } = current.order;
    // A copy can be transferred. The received bytes may share their memory with other buffers.
    const bytes = Uint8Array.from(received);
    thread.post({ bytes, order }, [bytes.buffer]);
  }

  /** Returns the next task whose `begin` does not throw. */
  function nextToBegin(): Task<O, R> | undefined {
    for (let task = waiting.take(); task !== undefined; task = waiting.take()) {
      try {
        task.order.begin?.();
        return task;
      } catch (error) {
        task.reject(error as Error);
      }
    }
    return undefined;
  }

  return {
    run(order) {
      return new Promise((resolve, reject) => {
        const { client, bytes } = order;
        if (closed) reject(stopping());
        else if (waiting.add({ order, client, bytes: bytes.length, resolve, reject })) next();
        else reject(new Refusal('unavailable', 'too many large bodies wait to be checked; nothing was done'));
      });
    },
    async close() {
      closed = true;
      const ended = thread.terminate();
      for (const task of [current, ...waiting.drain()]) task?.reject(stopping());
      current = undefined;
      await ended;
    },
  };
}

function stopping(): Refusal {
  return new Refusal('unavailable', 'the service is stopping; nothing was done');
}

function settle<R>(answer: Answer<R>, task: Task<unknown, R>): void {
  if (answer.is === 'done') task.resolve(answer.result);
  else task.reject(new Refusal(answer.code, answer.message));
}

/**
 * Runs in the thread: answers each order with the result of `work`, or with the `Refusal` that it throws. Any other error
 * ends the thread. A result of bytes is not copied: its memory, which nothing else may use, goes to the other thread.
 */
export function serveOrders(work: (order: never) => unknown): void {
  const answerTo = async ({ bytes, order }: OrderMessage<BodyOrder>): Promise<Answer<unknown>> => {
    try {
      return { is: 'done', result: await work({ ...order, bytes: Buffer.from(bytes.buffer) } as never) };
    } catch (error) {
      if (error instanceof Refusal) return { is: 'refused', code: error.code, message: error.message };
      throw error;
    }
  };
  // An unhandled rejection ends the thread.
  parentPort?.on('message', (message: OrderMessage<BodyOrder>) => {
    void answerTo(message).then((answer) => parentPort?.postMessage(answer, memoryOf(answer)));
  });
}

function memoryOf(answer: Answer<unknown>): readonly ArrayBuffer[] {
  return answer.is === 'done' && answer.result instanceof Uint8Array
    ? [answer.result.buffer as ArrayBuffer]
    : [];
}
