/**
 * Returns the result of `work`, or throws `late()` once the deadline is over (ms since the epoch). The work goes on then
 * and its outcome is dropped.
 */
export function beforeDeadline<T>(
  work: Promise<T>,
  {
    deadline,
    now,
    late,
  }: { readonly deadline: number; readonly now: () => number; readonly late: () => Error },
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.max(0, deadline - now()));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
