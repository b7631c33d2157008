/** Times above are in nanoseconds: chains with Raft consensus count so, others seconds. */
const LARGEST_IN_S = 1_000_000_000_000_000n;

/**
 * Returns the time that a header has, since 1970, as ISO 8601 in UTC, with milliseconds. Throws a `RangeError` for a time that
 * `Date` does not have.
 */
export function timeText(time: bigint): string {
  const ms = time > LARGEST_IN_S ? time / 1_000_000n : time * 1_000n;
  return new Date(Number(ms)).toISOString();
}
