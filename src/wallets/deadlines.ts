import { Refusal } from '../errors.js';

/** Limits the work at wallets in time. */
export type Deadlines = ReturnType<typeof deadlines>;

/** Limits each piece of work at wallets to `timeoutMs`. */
export function deadlines(timeoutMs: number) {
  const active = new Set<AbortController>();
  let stopped = false;

  return {
    /**
     * Runs `work`. When its time is over, its signal is aborted and the promise rejects with `Refusal('unavailable')`. If
     * `outer` is aborted before, the signal and the rejection have its reason.
     */
    async within<T>(work: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
      const running = new AbortController();
      const expire = (): void =>
        running.abort(unavailable(`the wallet did not answer in ${timeoutMs / 1_000} s`));
      const timer = setTimeout(expire, timeoutMs);
      const abort = (): void => running.abort(outer?.reason);
      outer?.addEventListener('abort', abort);
      active.add(running);
      try {
        if (stopped) throw unavailable(STOPS);
        return await work(running.signal);
      } catch (error) {
        throw running.signal.aborted ? running.signal.reason : error;
      } finally {
        clearTimeout(timer);
        outer?.removeEventListener('abort', abort);
        active.delete(running);
      }
    },
    /** Aborts all work. It and all later work rejects with `Refusal('unavailable')`. */
    stop() {
      stopped = true;
      for (const running of active) running.abort(unavailable(STOPS));
    },
  };
}

const STOPS = 'the service stops';

function unavailable(why: string): Refusal {
  return new Refusal('unavailable', `${why}; nothing was done`);
}
