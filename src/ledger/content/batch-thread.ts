import { Worker } from 'node:worker_threads';
import { Refusal, type RefusalCode } from '../../errors.js';
import type { BatchContent } from './batch-content.js';
import type { ContextRule } from './entity.js';

/** A batch to be worked on in the thread. */
export interface BatchOrder {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rule: ContextRule;
}

/** What came of it. */
export type BatchAnswer =
  | { readonly is: 'done'; readonly content: BatchContent }
  | { readonly is: 'refused'; readonly code: RefusalCode; readonly message: string };

/** Bytes of batches that wait at most; one waits whatever its size. */
const MOST_WAITING = 128 * 1024 ** 2;

/** A thread that does what `batchContent` does, one batch after the other. */
export interface BatchThread {
  /**
   * As `batchContent`; throws `Refusal('unavailable')` also where too much waits already, or the service stops. A
   * thread that dies over a batch rejects that one alone.
   */
  run(bytes: Buffer, rule: ContextRule): Promise<BatchContent>;
  close(): Promise<void>;
}

interface Task {
  readonly bytes: Buffer;
  readonly rule: ContextRule;
  readonly resolve: (content: BatchContent) => void;
  readonly reject: (reason: Error) => void;
}

/** Starts the thread when it is first needed, and again after it died. `file` is what it runs. */
export function batchThread(file = new URL('./batch-worker.js', import.meta.url)): BatchThread {
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
      finish((task) => task.reject(new Error('the thread of batches died over one', { cause })));
    };
    started.on('message', (answer: BatchAnswer) => finish((task) => give(answer, task)));
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
    const bytes = Uint8Array.from(current.bytes);
    const order: BatchOrder = { bytes, rule: current.rule };
    worker.postMessage(order, [bytes.buffer]);
  }

  return {
    run(bytes, rule) {
      return new Promise((resolve, reject) => {
        const size = waiting.reduce((sum, task) => sum + task.bytes.length, bytes.length);
        if (closed) reject(new Refusal('unavailable', 'the service is stopping; nothing was done'));
        else if (waiting.length > 0 && size > MOST_WAITING) {
          reject(new Refusal('unavailable', 'too many batches wait to be hashed; nothing was done'));
        } else {
          waiting.push({ bytes, rule, resolve, reject });
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

function give(answer: BatchAnswer, task: Task): void {
  if (answer.is === 'done') task.resolve(answer.content);
  else task.reject(new Refusal(answer.code, answer.message));
}
