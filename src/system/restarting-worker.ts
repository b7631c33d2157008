import { type Transferable, Worker } from 'node:worker_threads';

export interface RestartingWorkerOptions<A> {
  /** The module that the thread runs. It answers messages. */
  readonly file: URL;
  /** `workerData` of the thread. */
  readonly data?: unknown;
  readonly onAnswer: (answer: A) => void;
  /** Called when the thread dies. It will not answer the messages still open. */
  readonly onDeath: (cause: unknown) => void;
}

/** Creates a worker thread that starts on the first message, and again on the next message after its death. */
export function restartingWorker<A>(options: RestartingWorkerOptions<A>) {
  const { file, data, onAnswer, onDeath } = options;
  let worker: Worker | undefined;

  function start(): Worker {
    const started = new Worker(file, { workerData: data });
    // 'exit' also follows 'error', and may come after the start of the next thread.
    const died = (cause: unknown): void => {
      if (started !== worker) return;
      worker = undefined;
      onDeath(cause);
    };
    // An answer too may arrive after the death of its thread.
    started.on('message', (answer: A) => started === worker && onAnswer(answer));
    started.on('messageerror', died);
    started.on('error', died);
    started.on('exit', (code) => died(new Error(`exit code ${code}`)));
    return started;
  }

  return {
    /** Sends a message. From then on the thread keeps the process alive. */
    post(message: unknown, transfer: readonly Transferable[] = []): void {
      worker ??= start();
      worker.ref();
      worker.postMessage(message, transfer);
    },
    /** Declares the thread idle: it no longer keeps the process alive. */
    idle: (): void => worker?.unref(),
    /** Terminates the thread without `onDeath`. */
    async terminate(): Promise<void> {
      const last = worker;
      worker = undefined;
      await last?.terminate();
    },
  };
}
