import { Refusal } from '../errors.js';

/** Work that ends in time. */
export interface Deadlines {
  /** Runs `work`; once its time is over, its signal is aborted and the promise rejects with `Refusal('unavailable')`. */
  within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts all work, and lets none begin: both reject with `Refusal('unavailable')`. */
  stop(): void;
}

/** Gives all work at wallets `timeoutMs`. */
export function deadlines(timeoutMs: number): Deadlines {
  const inFlight = new Set<AbortController>();
  let stopped = false;

  return {
    async within(work) {
      const running = new AbortController();
      const expire = (): void =>
        running.abort(unavailable(`the wallet did not answer in ${timeoutMs / 1_000} s`));
      const timer = setTimeout(expire, timeoutMs);
      inFlight.add(running);
      try {
        if (stopped) throw unavailable(STOPS);
        return await work(running.signal);
      } catch (error) {
        throw running.signal.aborted ? running.signal.reason : error;
      } finally {
        clearTimeout(timer);
        inFlight.delete(running);
      }
    },
    stop() {
      stopped = true;
      for (const running of inFlight) running.abort(unavailable(STOPS));
    },
  };
}

const STOPS = 'the service stops';

function unavailable(why: string): Refusal {
  return new Refusal('unavailable', `${why}; nothing was done`);
}
