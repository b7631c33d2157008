import { Worker } from 'node:worker_threads';
import { Refusal, type RefusalCode } from '../../errors.js';
import type { Operation } from '../operation.js';
import type { Order } from './operations.js';

/** An order as it comes to the thread: bytes that are handed over are no `Buffer` any more. */
export interface Handed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly order: WithoutBytes<Order>;
}

type WithoutBytes<T> = T extends unknown ? Omit<T, 'bytes'> : never;

/** What came of it. */
export type Answer =
  | { readonly is: 'done'; readonly operation: Operation }
  | { readonly is: 'refused'; readonly code: RefusalCode; readonly message: string };

/** Bytes of bodies that wait at most; one waits whatever its size. */
const MOST_WAITING = 128 * 1024 ** 2;

/** A thread that does what `operationOf` does, one order after the other. */
export interface OperationThread {
  /**
   * As `operationOf`; throws `Refusal('unavailable')` also where too much waits already, or the service stops. A thread
   * that dies over an order rejects that one alone.
   */
  run(order: Order): Promise<Operation>;
  close(): Promise<void>;
}

interface Task {
  readonly order: Order;
  readonly resolve: (operation: Operation) => void;
  readonly reject: (reason: Error) => void;
}

/** Starts the thread when it is first needed, and again after it died. `file` is what it runs. */
export function operationThread(file = new URL('./operation-worker.js', import.meta.url)): OperationThread {
  const waiting: Task[] = [];
  let current: Task | undefined;
  let worker: Worker | undefined;
  let closed = false;

  function start(): Worker {
    const started = new Worker(file);
    // 'exit' comes behind 'error' as well, and may come when the next thread is at work already.
    const died = (cause: unknown): void => {
      if (started !== worker) return;
      worker = undefined;
      finish((task) => task.reject(new Error('the thread of large bodies died over one', { cause })));
    };
    started.on('message', (answer: Answer) => finish((task) => give(answer, task)));
    started.on('messageerror', died);
    started.on('error', died);
    started.on('exit', (code) => died(new Error(`exit code ${code}`)));
    return started;
  }

  function finish(how: (task: Task) => void): void {
    const task = current;
    current = undefined;
    if (task !== undefined) how(task);
    next();
  }

  function next(): void {
    if (current !== undefined) return;
    current = waiting.shift();
    // Only a thread at work keeps the process alive.
    if (current === undefined) return worker?.unref();
    worker ??= start();
    worker.ref();
    // A copy, which can be handed over: the bytes may lie in a buffer that others have a part of.
    const { bytes: received, ...order } = current.order;
    const bytes = Uint8Array.from(received);
    const handed: Handed = { bytes, order };
    worker.postMessage(handed, [bytes.buffer]);
  }

  return {
    run(order) {
      return new Promise((resolve, reject) => {
        const size = waiting.reduce((sum, task) => sum + task.order.bytes.length, order.bytes.length);
        if (closed) reject(new Refusal('unavailable', 'the service is stopping; nothing was done'));
        else if (waiting.length > 0 && size > MOST_WAITING) {
          reject(new Refusal('unavailable', 'too many large bodies wait to be hashed; nothing was done'));
        } else {
          waiting.push({ order, resolve, reject });
          next();
        }
      });
    },
    async close() {
      closed = true;
      const last = worker;
      worker = undefined;
      for (const task of [current, ...waiting.splice(0)]) {
        task?.reject(new Refusal('unavailable', 'the service is stopping; nothing was done'));
      }
      current = undefined;
      await last?.terminate();
    },
  };
}

function give(answer: Answer, task: Task): void {
  if (answer.is === 'done') task.resolve(answer.operation);
  else task.reject(new Refusal(answer.code, answer.message));
}
