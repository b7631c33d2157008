import { isoOf } from '../../system/iso.js';

/** Times above are in nanoseconds: chains with Raft consensus count so, others seconds. */
const LARGEST_IN_S = 1_000_000_000_000_000n;

/** The first millisecond of the year 10000, whose text has another form. */
const END_IN_MS = 253_402_300_800_000n;

/**
 * Returns the time that a header has, since 1970, as ISO 8601 in UTC, with milliseconds. Throws a `RangeError` for a time after
 * the year 9999.
 */
export function timeText(time: bigint): string {
  const ms = time > LARGEST_IN_S ? time / 1_000_000n : time * 1_000n;
  if (ms >= END_IN_MS) throw new RangeError('the time is after the year 9999');
  return isoOf(Number(ms));
}
