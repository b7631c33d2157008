import { restartingWorker } from '../system/restarting-worker.js';
import { signTransaction } from './transaction-bytes.js';
import type { SigningResult, UnsignedTransaction } from './port.js';

interface Task {
  readonly transaction: UnsignedTransaction;
  readonly resolve: (signed: SigningResult) => void;
  readonly reject: (reason: Error) => void;
}

/** Transactions in one turn of the event loop from which on they are signed on the thread. */
const MANY = 4;

/**
 * Signs transactions with one private key, on a thread of its own if many come at once. The thread starts when it is first needed, and again after it died; transactions that it leaves are
 * signed on the calling thread. `file` is the script of the thread.
 */
export function signatureThread(
  privateKey: Uint8Array,
  file = new URL('./signature-worker.js', import.meta.url),
) {
  /** The tasks of this turn of the event loop. */
  let gathered: Task[] = [];
  /** The batches at the thread, in order. */
  let unanswered: (readonly Task[])[] = [];
  const thread = restartingWorker<readonly SigningResult[]>({
    file,
    data: { privateKey },
    onAnswer(signed) {
      const tasks = unanswered.shift()!;
      if (unanswered.length === 0) thread.idle();
      for (const [i, { resolve }] of tasks.entries()) resolve(signed[i]!);
    },
    onDeath() {
      const lost = unanswered.flat();
      unanswered = [];
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
    unanswered.push(tasks);
    thread.post(tasks.map(({ transaction }) => transaction));
  }

  return {
    /** As `signTransaction`. */
    sign: (transaction: UnsignedTransaction) =>
      new Promise<SigningResult>((resolve, reject) => {
        // At the end of this turn of the event loop.
        if (gathered.length === 0) setImmediate(flush);
        gathered.push({ transaction, resolve, reject });
      }),
  };
}

function signHere({ transaction, resolve, reject }: Task, privateKey: Uint8Array): void {
  try {
    resolve(signTransaction(transaction, privateKey));
  } catch (error) {
    reject(error as Error);
  }
}
