import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { longestTurn } from '../../system/longest-turn.js';
import type { Asked } from './asking-thread.js';
import type { BrokerReady, Burst } from './broker-thread.js';

/** The answer to a request, and how long it held the event loop of this process. */
interface Held {
  /** 0 if the connection was closed before an answer. */
  readonly status: number;
  /** Longest turn of the loop, ms of CPU time. */
  readonly ms: number;
}

/** Sends requests from another thread to the service of this process. */
export interface LoopWatch {
  hold(asked: Asked): Promise<Held>;
  close(): Promise<void>;
}

/** A broker of MQTT in another thread, whose messages the service of this process takes. */
export interface BrokerWatch {
  readonly url: string;
  /** Sends messages. Returns the longest turn of the loop until all of them were acknowledged, ms of CPU time. */
  hold(burst: Burst): Promise<number>;
  close(): Promise<void>;
}

/** Starts a broker. */
export async function watchBroker(): Promise<BrokerWatch> {
  const thread = new Worker(new URL('./broker-thread.js', import.meta.url));
  const [{ url }] = (await once(thread, 'message')) as [BrokerReady];
  return {
    url,
    hold: (burst) =>
      longestTurn(async () => {
        thread.postMessage(burst, []);
        await once(thread, 'message');
      }),
    close: async () => void (await thread.terminate()),
  };
}

/** Measures holds of the event loop of this process, which serves `url`. */
export function watchLoop(url: string): LoopWatch {
  const thread = new Worker(new URL('./asking-thread.js', import.meta.url), { workerData: url });
  return {
    async hold(asked) {
      let status = 0;
      const ms = await longestTurn(async () => {
        thread.postMessage(asked, []);
        [status] = (await once(thread, 'message')) as [number];
      });
      return { status, ms };
    },
    close: async () => void (await thread.terminate()),
  };
}
