/** Returns the result of `work`, or throws `late()` after `ms`. The work goes on then and its outcome is dropped. */
export function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.max(0, ms));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Resolves with the result of `work`, or with undefined after `ms` or if it fails. The work goes on then and its outcome is dropped. */
export function settledInTime<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return inTime(work, ms, () => new Error('late')).catch(() => undefined);
}
