import { parentPort, workerData } from 'node:worker_threads';
import { signLegacy } from './legacy-transaction.js';
import type { UnsignedTransaction } from './port.js';

// The thread of signatures: for each batch of transactions what they come to, in their order.

const { privateKey } = workerData as { readonly privateKey: Uint8Array };

parentPort?.on('message', (transactions: readonly UnsignedTransaction[]) => {
  parentPort?.postMessage(
    transactions.map((transaction) => signLegacy(transaction, privateKey)),
    [],
  );
});
