import { parentPort } from 'node:worker_threads';
import { Refusal } from '../../errors.js';
import type { Answer, Handed } from './operation-thread.js';
import { operationOf } from './operations.js';

// The thread of large bodies: one order at a time, one answer to each. What is no refusal ends the thread.

parentPort?.on('message', (handed: Handed) => {
  parentPort?.postMessage(answerTo(handed), []);
});

function answerTo({ bytes, order }: Handed): Answer {
  try {
    return { is: 'done', operation: operationOf({ ...order, bytes: Buffer.from(bytes.buffer) }) };
  } catch (error) {
    if (error instanceof Refusal) return { is: 'refused', code: error.code, message: error.message };
    throw error;
  }
}
