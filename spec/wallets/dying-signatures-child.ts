import { parentPort, threadId } from 'node:worker_threads';
import type { SigningResult, UnsignedTransaction } from '../../src/wallets/port.js';

// A thread of signatures that dies over some transactions, as their data says, once it has been given more. For a
// signature it gives its own number.

let death: string | undefined;

parentPort?.on('message', (transactions: readonly UnsignedTransaction[]) => {
  if (death === '0xdead') throw new Error('thrown');
  if (death === '0x0e') process.exit(3);
  death = transactions.map(({ data }) => data).find((data) => data === '0xdead' || data === '0x0e');
  if (death !== undefined) return;
  const mark: SigningResult = { raw: '0x', hash: `0x${threadId}` };
  parentPort?.postMessage(
    transactions.map(() => mark),
    [],
  );
  if (transactions[0]?.data === '0xafdead') throw new Error('thrown behind the answer');
});
