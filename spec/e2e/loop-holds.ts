import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
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
  const delays = monitorEventLoopDelay({ resolution: 1 });
  return {
    async hold(asked) {
      delays.enable();
      delays.reset();
      thread.postMessage(asked, []);
      const [status] = (await once(thread, 'message')) as [number];
      // What holds the loop just behind the answer counts, too.
      await delay(5);
      delays.disable();
      return { status, ms: delays.max / 1e6 };
    },
    close: async () => void (await thread.terminate()),
  };
}
