import { parentPort } from 'node:worker_threads';
import { Refusal } from '../../errors.js';
import { batchContent } from './batch-content.js';
import type { BatchAnswer, BatchOrder } from './batch-thread.js';

// The thread of large batches: one order at a time, one answer to each. What is no refusal ends the thread.

parentPort?.on('message', (order: BatchOrder) => {
  parentPort?.postMessage(answerTo(order), []);
});

function answerTo({ bytes, rule }: BatchOrder): BatchAnswer {
  try {
    return { is: 'done', content: batchContent(Buffer.from(bytes.buffer), rule) };
  } catch (error) {
    if (error instanceof Refusal) return { is: 'refused', code: error.code, message: error.message };
    throw error;
  }
}
