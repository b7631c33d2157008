import { parentPort, workerData } from 'node:worker_threads';
import { signLegacy } from './legacy-transaction.js';
import type { UnsignedTransaction } from './port.js';

// The script of the signature thread. It answers each batch of transactions with the signed ones, in order.

const { privateKey } = workerData as { readonly privateKey: Uint8Array };

parentPort?.on('message', (transactions: readonly UnsignedTransaction[]) => {
  parentPort?.postMessage(
    transactions.map((transaction) => signLegacy(transaction, privateKey)),
    [],
  );
});
