import { parentPort } from 'node:worker_threads';
import type { Answer, Handed } from '../../../src/ledger/content/operation-thread.js';
import { createOperation } from '../../../src/ledger/content/operations.js';
import { PLAIN } from './bodies.js';

// A thread of large bodies that dies over some of them, as their text says.

parentPort?.on('message', ({ bytes }: Handed) => {
  const text = Buffer.from(bytes).toString();
  if (text === 'throw') throw new Error('thrown');
  if (text === 'exit') process.exit(3);
  const operation = createOperation({ id: `urn:a:${text}`, type: 'T' }, PLAIN);
  const answer: Answer = { is: 'done', operation };
  if (text !== 'hang') parentPort?.postMessage(answer, []);
});
