import { parentPort } from 'node:worker_threads';
import type { Answer, OrderMessage } from '../../../src/untrusted/body-thread.js';
import { createOperation, type Order } from '../../../src/ledger/content/operations.js';
import type { Operation } from '../../../src/ledger/operation.js';
import { PLAIN } from './bodies.js';

// A worker thread for large bodies. The text of a body can make it die.

parentPort?.on('message', ({ bytes }: OrderMessage<Order>) => {
  const text = Buffer.from(bytes).toString();
  if (text === 'throw') throw new Error('thrown');
  if (text === 'exit') process.exit(3);
  const result = createOperation({ id: `urn:a:${text}`, type: 'T' }, PLAIN);
  const answer: Answer<Operation> = { is: 'done', result };
  if (text !== 'hang') parentPort?.postMessage(answer, []);
});
