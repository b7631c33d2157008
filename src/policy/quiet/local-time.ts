import { isoOf } from '../../system/iso.js';

// Local times are those of a clock without a zone, to the second: `2026-12-01T22:00:00`.

/** Returns a local time as ms since 1970 of its clock; NaN for a day that the calendar does not have. */
export function localOf(text: string): number {
  const local = Date.parse(`${text}Z`);
  return !Number.isNaN(local) && isoOf(local).startsWith(text) ? local : NaN;
}

/** Returns the local time of a zone at an instant, ms since the epoch. */
export function localTimeAt(at: number, timezone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return format.format(at).replace(' ', 'T');
}
