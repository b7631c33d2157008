const ISO_TIME =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Parses a time of ISO 8601: date, time of day and zone, such as `2026-11-21T11:00:00Z`. Returns ms since the epoch, cut
 * to whole ones; undefined for any other text, and for a day that its month does not have.
 */
export function isoTime(text: string): number | undefined {
  const { year, month, day } = ISO_TIME.exec(text)?.groups ?? {};
  // `Date.parse` takes February 30 for March 2.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const at = Date.parse(text);
  return date.getUTCDate() === Number(day) && !Number.isNaN(at) ? at : undefined;
}
