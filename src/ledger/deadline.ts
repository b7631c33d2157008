/**
 * Returns the result of `work`, or throws `late()` once the deadline is over (ms since the epoch). The work goes on then
 * and its outcome is dropped.
 */
export async function beforeDeadline<T>(
  work: Promise<T>,
  {
    deadline,
    now,
    late,
  }: { readonly deadline: number; readonly now: () => number; readonly late: () => Error },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, deadline - now()));
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
