import { Worker } from 'node:worker_threads';
import type { Transferable } from 'node:worker_threads';

export interface LastingThreadOptions<A> {
  /** What it runs: a module that answers messages. */
  readonly file: URL;
  /** Its `workerData`. */
  readonly data?: unknown;
  readonly onAnswer: (answer: A) => void;
  /** It died over what it was given, and what it has not answered yet it never will. */
  readonly onDeath: (cause: unknown) => void;
}

/** A thread that is started when it is first needed, and again after it died. */
export interface LastingThread {
  /** Gives it a message, and has it keep the process alive. */
  give(message: unknown, handedOver?: readonly Transferable[]): void;
  /** It has nothing to do: it does not keep the process alive. */
  rest(): void;
  /** Ends it without a word; the next message would start another. */
  end(): Promise<void>;
}

/** Makes one, which is not started yet. */
export function lastingThread<A>({ file, data, onAnswer, onDeath }: LastingThreadOptions<A>): LastingThread {
  let worker: Worker | undefined;

  function start(): Worker {
    const started = new Worker(file, { workerData: data });
    // 'exit' comes behind 'error' as well, and may come when the next thread is at work already.
    const died = (cause: unknown): void => {
      if (started !== worker) return;
      worker = undefined;
      onDeath(cause);
    };
    // So may the answer of a thread that died just after it.
    started.on('message', (answer: A) => started === worker && onAnswer(answer));
    started.on('messageerror', died);
    started.on('error', died);
    started.on('exit', (code) => died(new Error(`exit code ${code}`)));
    return started;
  }

  return {
    give(message, handedOver = []) {
      worker ??= start();
      worker.ref();
      worker.postMessage(message, handedOver);
    },
    rest: () => worker?.unref(),
    async end() {
      const last = worker;
      worker = undefined;
      await last?.terminate();
    },
  };
}
