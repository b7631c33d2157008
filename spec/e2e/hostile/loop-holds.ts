import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { longestHold } from '../../system/longest-hold.js';
import type { Asked } from './asking-thread.js';

/** The answer to a request, and how long it held the event loop of this process. */
interface Held {
  /** 0 if the connection was closed before an answer. */
  readonly status: number;
  /** Longest hold, ms. */
  readonly ms: number;
}

/** Sends requests from another thread to the service of this process. */
export interface LoopWatch {
  hold(asked: Asked): Promise<Held>;
  close(): Promise<void>;
}

/** Measures holds of the event loop of this process, which serves `url`. */
export function watchLoop(url: string): LoopWatch {
  const thread = new Worker(new URL('./asking-thread.js', import.meta.url), { workerData: url });
  return {
    async hold(asked) {
      let status = 0;
      const ms = await longestHold(async () => {
        thread.postMessage(asked, []);
        [status] = (await once(thread, 'message')) as [number];
      });
      return { status, ms };
    },
    close: async () => void (await thread.terminate()),
  };
}
