/**
 * Returns a clock for lengths of time in one process: it goes as `now` does, and goes on where it was when `now` is set back. Its
 * time is not that of the world.
 */
export function steadyClock(now: () => number): () => number {
  let last = now();
  let ahead = 0;
  return () => {
    const at = now() + ahead;
    if (at < last) ahead += last - at;
    else last = at;
    return last;
  };
}
