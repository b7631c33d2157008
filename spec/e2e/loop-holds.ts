import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { longestHold } from '../system/longest-hold.js';
import type { Asked } from './asking-thread.js';

/** How a request was answered, and for how long it held the event loop of this process. */
interface Held {
  /** 0 where the connection was torn before an answer. */
  readonly status: number;
  /** Longest hold, ms. */
  readonly ms: number;
}

/** Asks the service of this process from another thread. */
export interface LoopWatch {
  hold(asked: Asked): Promise<Held>;
  close(): Promise<void>;
}

/** Watches the event loop of this process, which serves `url`. */
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
