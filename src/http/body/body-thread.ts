import { Refusal, type RefusalCode } from '../../errors.js';
import { restartingWorker } from '../../system/restarting-worker.js';
import { FairQueue, type Queued } from '../admission/fair-queue.js';

/** Bodies over this many bytes, which may hold thousands of members, would hold the event loop for long. */
export const ON_THE_SPOT = 16_384;

/** A body, inflated, and what is to be done with it. */
export interface BodyOrder {
  readonly bytes: Buffer;
  /** The client address that it comes from: clients take turns. */
  readonly client?: string | undefined;
}

/** An order as it comes to the thread: bytes that are handed over are no `Buffer` any more. */
export interface Handed<O extends BodyOrder> {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly order: WithoutBytes<O>;
}

type WithoutBytes<T> = T extends unknown ? Omit<T, 'bytes'> : never;

/** What came of it. */
export type Answer<R> =
  | { readonly is: 'done'; readonly result: R }
  | { readonly is: 'refused'; readonly code: RefusalCode; readonly message: string };

/** Bytes of bodies that wait at most; one waits whatever its size. */
const MOST_WAITING = 128 * 1024 ** 2;

/** A thread that works on large bodies, one order after the other. */
export interface BodyThread<O extends BodyOrder, R> {
  /**
   * What came of the order, or the `Refusal` that it ended with; throws `Refusal('unavailable')` also where too much
   * waits already, or the service stops. A thread that dies over an order rejects that one alone.
   */
  run(order: O): Promise<R>;
  close(): Promise<void>;
}

interface Task<O, R> extends Queued {
  readonly order: O;
  readonly resolve: (result: R) => void;
  readonly reject: (reason: Error) => void;
}

/** Starts the thread when it is first needed, and again after it died. `file` is what it runs: see `answering`; `data` its `workerData`. */
export function bodyThread<O extends BodyOrder, R>(file: URL, data?: unknown): BodyThread<O, R> {
  const waiting = new FairQueue<Task<O, R>>(MOST_WAITING);
  let current: Task<O, R> | undefined;
  let closed = false;
  const thread = restartingWorker<Answer<R>>({
    file,
    data,
    onAnswer: (answer) => finish((task) => give(answer, task)),
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
    current = waiting.take();
    if (current === undefined) return thread.idle();
    // A copy, which can be handed over: the bytes may lie in a buffer that others have a part of.
    const { bytes: received, ...order } = current.order;
    const bytes = Uint8Array.from(received);
    const handed = { bytes, order };
    thread.post(handed, [bytes.buffer]);
  }

  return {
    run(order) {
      return new Promise((resolve, reject) => {
        const { client, bytes } = order;
        if (closed) reject(new Refusal('unavailable', 'the service is stopping; nothing was done'));
        else if (waiting.add({ order, client, bytes: bytes.length, resolve, reject })) next();
        else reject(new Refusal('unavailable', 'too many large bodies wait to be checked; nothing was done'));
      });
    },
    async close() {
      closed = true;
      const ended = thread.terminate();
      for (const task of [current, ...waiting.empty()]) {
        task?.reject(new Refusal('unavailable', 'the service is stopping; nothing was done'));
      }
      current = undefined;
      await ended;
    },
  };
}

function give<R>(answer: Answer<R>, task: Task<unknown, R>): void {
  if (answer.is === 'done') task.resolve(answer.result);
  else task.reject(new Refusal(answer.code, answer.message));
}
