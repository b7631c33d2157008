import { parentPort } from 'node:worker_threads';
import { Refusal } from '../../errors.js';
import type { Answer, BodyOrder, Handed } from './body-thread.js';

/**
 * What a thread of large bodies runs: one order at a time, one answer to each. `work` is given the orders that the thread
 * was made for. What it throws that is no refusal ends the thread.
 */
export function answering(work: (order: never) => unknown): void {
  const answerTo = async ({ bytes, order }: Handed<BodyOrder>): Promise<Answer<unknown>> => {
    try {
      return { is: 'done', result: await work({ ...order, bytes: Buffer.from(bytes.buffer) } as never) };
    } catch (error) {
      if (error instanceof Refusal) return { is: 'refused', code: error.code, message: error.message };
      throw error;
    }
  };
  // A rejection that nobody handles ends the thread as well.
  parentPort?.on('message', (handed: Handed<BodyOrder>) => {
    void answerTo(handed).then((answer) => parentPort?.postMessage(answer, []));
  });
}
