import { setTimeout as pause } from 'node:timers/promises';
import { faultOf } from './broker-fault.js';
import { openConnection, type Subscriber } from './connection.js';

/** Pause before the first try after a connection that lasted, ms. It doubles with each further one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/** Time after which a connection is taken to last, ms. */
const LASTING_MS = 10_000;

/**
 * Creates a consumer, which keeps a subscription at a broker. It connects again after each end of a connection, until it is
 * closed. `onChange` is called when it is connected, and with the reason when it is not.
 */
export function createConsumer(subscriber: Subscriber, onChange: (fault: string | undefined) => void) {
  const closing = new AbortController();
  let settleFirst = (_fault: string | undefined): void => undefined;
  let state = new Promise<string | undefined>((resolve) => {
    settleFirst = resolve;
  });
  let close = async (): Promise<void> => undefined;
  let running: Promise<void> = Promise.resolve();

  const become = (fault: string | undefined): void => {
    settleFirst(fault);
    state = Promise.resolve(fault);
    onChange(fault);
  };

  /** Connects, and resolves with the reason at the end of the connection. */
  const connected = async (): Promise<unknown> => {
    try {
      const connection = await openConnection(subscriber);
      close = () => connection.close();
      if (closing.signal.aborted) await close();
      become(undefined);
      return await connection.ended;
    } catch (error) {
      return error;
    }
  };

  const run = async (): Promise<void> => {
    let ms = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      const startedAt = performance.now();
      const reason = await connected();
      if (closing.signal.aborted) return;
      become(faultOf(reason, subscriber));
      if (performance.now() - startedAt >= LASTING_MS) ms = FIRST_PAUSE_MS;
      // Nodes that lost their broker at once do not come back at once.
      const wait = ms * (0.5 + Math.random() / 2);
      await pause(wait, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      ms = Math.min(2 * ms, LONGEST_PAUSE_MS);
    }
  };

  return {
    start(): void {
      running = run();
    },
    /** Resolves if it is connected, after the first try. Throws with the reason if it is not. */
    async check(): Promise<void> {
      const fault = await state;
      if (fault !== undefined) throw new Error(fault);
    },
    /** Waits for the messages that are being taken, for a limited time, and ends the connection. */
    async close(): Promise<void> {
      closing.abort();
      await close();
      await running;
    },
  };
}
