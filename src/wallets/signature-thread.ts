import { Worker } from 'node:worker_threads';
import { signLegacy } from './legacy-transaction.js';
import type { SignedTransaction, UnsignedTransaction } from './port.js';

/** Signs transactions with one private key, many of them beside whatever else the process does. */
export interface SignatureThread {
  /** As `signLegacy`. */
  sign(transaction: UnsignedTransaction): Promise<SignedTransaction>;
}

interface Task {
  readonly transaction: UnsignedTransaction;
  readonly resolve: (signed: SignedTransaction) => void;
  readonly reject: (reason: Error) => void;
}

/** From so many on it is worth the way to another thread. */
const MANY = 4;

/**
 * Starts the thread when it is first needed, and again after it died: what it leaves is signed here. `file` is what it
 * runs.
 */
export function signatureThread(
  privateKey: Uint8Array,
  file = new URL('./signature-worker.js', import.meta.url),
): SignatureThread {
  let gathered: Task[] = [];
  /** What the thread has been given, in that order. */
  let underWay: (readonly Task[])[] = [];
  let worker: Worker | undefined;

  function start(): Worker {
    const started = new Worker(file, { workerData: { privateKey } });
    // 'exit' comes behind 'error' as well, and may come when the next thread is at work already.
    const died = (): void => {
      if (started !== worker) return;
      worker = undefined;
      const lost = underWay.flat();
      underWay = [];
      for (const task of lost) signHere(task, privateKey);
    };
    started.on('message', (signed: readonly SignedTransaction[]) => {
      // An answer may come behind the 'error' of a thread that gave it just before: it is signed here by then.
      if (started !== worker) return;
      const tasks = underWay.shift()!;
      if (underWay.length === 0) started.unref();
      for (const [i, { resolve }] of tasks.entries()) resolve(signed[i]!);
    });
    started.on('error', died);
    started.on('exit', died);
    return started;
  }

  function flush(): void {
    const tasks = gathered;
    gathered = [];
    if (tasks.length < MANY) {
      for (const task of tasks) signHere(task, privateKey);
      return;
    }
    worker ??= start();
    underWay.push(tasks);
    // Only a thread at work keeps the process alive.
    worker.ref();
    worker.postMessage(
      tasks.map(({ transaction }) => transaction),
      [],
    );
  }

  return {
    sign: (transaction) =>
      new Promise((resolve, reject) => {
        // Once all that has come in this turn of the event loop is there.
        if (gathered.length === 0) setImmediate(flush);
        gathered.push({ transaction, resolve, reject });
      }),
  };
}

function signHere({ transaction, resolve, reject }: Task, privateKey: Uint8Array): void {
  try {
    resolve(signLegacy(transaction, privateKey));
  } catch (error) {
    reject(error as Error);
  }
}
