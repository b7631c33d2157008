/** Digits of a time as text: enough for all times of a `Date`. */
export const TIME_DIGITS = 16;

/** Returns a time, ms since the epoch, as text that sorts as the time does. */
export function sortableTime(time: number): string {
  return String(time).padStart(TIME_DIGITS, '0');
}
