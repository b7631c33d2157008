import { parentPort, threadId } from 'node:worker_threads';
import type { SignedTransaction, UnsignedTransaction } from '../../src/wallets/port.js';

// A thread of signatures that dies over some transactions, as their data says. For a signature it gives its own number.

parentPort?.on('message', (transactions: readonly UnsignedTransaction[]) => {
  for (const { data } of transactions) {
    if (data === '0xdead') throw new Error('thrown');
    if (data === '0x0e') process.exit(3);
  }
  const mark: SignedTransaction = { raw: '0x', hash: `0x${threadId}` };
  parentPort?.postMessage(
    transactions.map(() => mark),
    [],
  );
  if (transactions[0]!.data === '0xafdead') throw new Error('thrown once it had answered');
});
