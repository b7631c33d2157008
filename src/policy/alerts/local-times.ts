/** Returns a time, ms since the epoch, as people of one time zone write it. */
export type LocalTime = (at: number) => string;

/** Returns the times of an IANA time zone: `Thu, 15 Jan 2026, 13:00:00 Europe/Berlin`. Throws a `RangeError` for another name. */
export function localTimeIn(timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (at) => `${format.format(at)} ${timeZone}`;
}

const UTC_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Returns a text with the local time beside each time in UTC. Without `localTime`, the text as it is. */
export function withLocalTimes(text: string, localTime: LocalTime | undefined): string {
  if (localTime === undefined) return text;
  return text.replace(UTC_TIME, (time) => `${time} (${localTime(Date.parse(time))})`);
}
