import { Refusal, type RefusalCode } from '../../errors.js';
import { lastingThread } from '../../foreign/lasting-thread.js';
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
  let closed = false;
  const thread = lastingThread<Answer>({
    file,
    onAnswer: (answer) => finish((task) => give(answer, task)),
    onDeath: (cause) =>
      finish((task) => task.reject(new Error('the thread of large bodies died over one', { cause }))),
  });

  function finish(how: (task: Task) => void): void {
    const task = current;
    current = undefined;
    if (task !== undefined) how(task);
    next();
  }

  function next(): void {
    if (current !== undefined) return;
    current = waiting.shift();
    if (current === undefined) return thread.rest();
    // A copy, which can be handed over: the bytes may lie in a buffer that others have a part of.
    const { bytes: received, ...order } = current.order;
    const bytes = Uint8Array.from(received);
    const handed: Handed = { bytes, order };
    thread.give(handed, [bytes.buffer]);
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
      const ended = thread.end();
      for (const task of [current, ...waiting.splice(0)]) {
        task?.reject(new Refusal('unavailable', 'the service is stopping; nothing was done'));
      }
      current = undefined;
      await ended;
    },
  };
}

function give(answer: Answer, task: Task): void {
  if (answer.is === 'done') task.resolve(answer.operation);
  else task.reject(new Refusal(answer.code, answer.message));
}
