import { parentPort } from 'node:worker_threads';
import type { BatchAnswer, BatchOrder } from '../../../src/ledger/content/batch-thread.js';

// A thread of batches that dies over some of them, as the text of the batch says.

parentPort?.on('message', ({ bytes }: BatchOrder) => {
  const text = Buffer.from(bytes).toString();
  if (text === 'throw') throw new Error('thrown');
  if (text === 'exit') process.exit(3);
  const content = { root: '0x', entityIds: [text], pages: [] } as const;
  const answer: BatchAnswer = { is: 'done', content };
  if (text !== 'hang') parentPort?.postMessage(answer, []);
});
