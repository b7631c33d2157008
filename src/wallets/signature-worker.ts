import { parentPort, workerData } from 'node:worker_threads';
import { signTransaction } from './transaction-bytes.js';
import type { UnsignedTransaction } from './port.js';

// The script of the signature thread. It answers each batch of transactions with the signed ones, in order.

const { privateKey } = workerData as { readonly privateKey: Uint8Array };

parentPort?.on('message', (transactions: readonly UnsignedTransaction[]) => {
  parentPort?.postMessage(
    transactions.map((transaction) => signTransaction(transaction, privateKey)),
    [],
  );
});
