import { restartingWorker } from '../system/restarting-worker.js';
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
  let inFlight: (readonly Task[])[] = [];
  const thread = restartingWorker<readonly SignedTransaction[]>({
    file,
    data: { privateKey },
    onAnswer(signed) {
      const tasks = inFlight.shift()!;
      if (inFlight.length === 0) thread.idle();
      for (const [i, { resolve }] of tasks.entries()) resolve(signed[i]!);
    },
    onDeath() {
      const lost = inFlight.flat();
      inFlight = [];
      for (const task of lost) signHere(task, privateKey);
    },
  });

  function flush(): void {
    const tasks = gathered;
    gathered = [];
    if (tasks.length < MANY) {
      for (const task of tasks) signHere(task, privateKey);
      return;
    }
    inFlight.push(tasks);
    thread.post(tasks.map(({ transaction }) => transaction));
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
