/** Timers that a spec lets run out, in place of those of the process. */
export interface DrivenTimers {
  /** Lets all timers run out that there are now. */
  tick(): void;
  /** Forgets all timers. */
  clear(): void;
  /** Gives the process its own timers back. */
  restore(): void;
}

/** Replaces the timers of the process. */
export function driveTimers(): DrivenTimers {
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  let timers = new Map<object, () => void>();
  const set = (run: (...args: unknown[]) => void, _ms?: number, ...args: unknown[]): object => {
    const timer = { unref: () => timer, ref: () => timer };
    timers.set(timer, () => run(...args));
    return timer;
  };
  globalThis.setTimeout = set as unknown as typeof realSet;
  globalThis.clearTimeout = ((timer: object) => void timers.delete(timer)) as typeof realClear;
  return {
    tick() {
      const all = timers;
      timers = new Map();
      for (const run of all.values()) run();
    },
    clear: () => timers.clear(),
    restore() {
      globalThis.setTimeout = realSet;
      globalThis.clearTimeout = realClear;
    },
  };
}
