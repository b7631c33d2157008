/** Returns a time of ISO 8601 in UTC, with milliseconds. `at`: ms since the epoch. */
export function isoOf(at: number): string {
  return new Date(at).toISOString();
}
