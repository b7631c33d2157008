/** Date and time in the extended format of ISO 8601; seconds, their fraction and the offset may be left out. */
const DATE_TIME =
  /^(?<year>\d{4})-(?<month>0[1-9]|1[0-2])-(?<day>\d\d)T(?:[01]\d|2[0-3]):(?:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?|59:60(?:[.,]\d+)?)(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/;

/** What a value must be that `isDateTime` refuses. */
export const A_DATE_TIME = 'must be a date and time of ISO 8601, as in 2024-05-31T12:30:00Z';

/** True for a date-time of ISO 8601 whose day exists. */
export function isDateTime(value: unknown): value is string {
  const { year, month, day } = (typeof value === 'string' && DATE_TIME.exec(value)?.groups) || {};
  return day !== undefined && Number(day) >= 1 && Number(day) <= daysOf(Number(year), Number(month));
}

function daysOf(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return isLeap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
