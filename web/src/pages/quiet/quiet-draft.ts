/** The form of a quiet time as it is typed, and what it asks of the service. */
import type { QuietView } from '../../../../src/policy/quiet/shapes.js';
import { isoOf } from '../../../../src/system/iso.js';
import { typedPatterns } from '../../forms/typed-patterns.js';
import { secondsText } from '../rules/seconds-text.js';

/** When a quiet time lasts. */
export type When = (typeof WHEN)[number][0];
export const WHEN = [
  ['now', 'From now on'],
  ['once', 'Once, later'],
  ['daily', 'Every day'],
  ['weekly', 'On days of the week'],
  ['rule', 'By a recurrence rule (RRULE)'],
] as const;

/** Days as RRULE has them. */
export const DAYS = [
  ['MO', 'Monday'],
  ['TU', 'Tuesday'],
  ['WE', 'Wednesday'],
  ['TH', 'Thursday'],
  ['FR', 'Friday'],
  ['SA', 'Saturday'],
  ['SU', 'Sunday'],
] as const;

export interface QuietDraft {
  /** Patterns, with commas or blanks between them. */
  readonly servers: string;
  /** Names of rules, with commas between them. Empty: all. */
  readonly rules: string;
  readonly when: When;
  /** Length from now on, or of each occurrence of a rule, hours. */
  readonly hours: string;
  /** Local times: `2026-12-01T22:00`. */
  readonly begin: string;
  readonly end: string;
  /** Times of the day: `22:00`. */
  readonly dayBegin: string;
  readonly dayEnd: string;
  readonly days: readonly string[];
  readonly rrule: string;
  readonly timezone: string;
  readonly comment: string;
  /** Empty: made from the patterns and the time. */
  readonly name: string;
}

/** The body of the request. Members that cannot be read are left out: the service names them. */
export type QuietBody = Pick<QuietView, 'servers' | 'rules' | 'rrule' | 'comment'> &
  Partial<Pick<QuietView, 'start' | 'duration' | 'timezone'>>;

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_S = 3_600;

/** Returns an empty form. `zone`: that of the browser; `now` is in ms since the epoch. */
export function newDraft(servers: string, zone: string, now: number): QuietDraft {
  const today = dayIn(zone, now);
  return {
    servers,
    rules: '',
    when: 'now',
    hours: '1',
    begin: `${dayAfter(today, 1)}T08:00`,
    end: `${dayAfter(today, 1)}T10:00`,
    dayBegin: '22:00',
    dayEnd: '06:00',
    days: ['SU'],
    rrule: 'FREQ=MONTHLY;BYDAY=1SU',
    timezone: zone,
    comment: '',
    name: '',
  };
}

/** Returns the form of an existing quiet time. */
export function draftOf(quiet: Omit<QuietView, 'by' | 'at' | 'next'>): QuietDraft {
  const { servers, rules = [], start, duration, timezone, rrule, comment = '', name } = quiet;
  const begin = start.slice(0, 16);
  const end = isoOf(Date.parse(`${begin}Z`) + duration * 1000).slice(0, 16);
  const days = weekdaysIn(rrule);
  const isOfDay = duration <= DAY_MS / 1000 && duration % 60 === 0 && start.endsWith(':00');
  const recurs = rrule === 'FREQ=DAILY' ? 'daily' : days.length > 0 ? 'weekly' : 'rule';
  return {
    ...newDraft(servers.join(', '), timezone, Date.parse(`${begin}Z`)),
    rules: rules.join(', '),
    when: rrule === undefined ? 'once' : isOfDay ? recurs : 'rule',
    hours: String(duration / HOUR_S),
    begin,
    end,
    dayBegin: begin.slice(11),
    dayEnd: end.slice(11),
    ...(days.length > 0 ? { days } : {}),
    ...(rrule === undefined ? {} : { rrule }),
    comment,
    name,
  };
}

/** Returns the days of a rule that names days of the week and nothing else. */
function weekdaysIn(rrule = ''): readonly string[] {
  const [, days = ''] = /^FREQ=WEEKLY;BYDAY=((?:[A-Z]{2},?)+)$/.exec(rrule) ?? [];
  return DAYS.map(([day]) => day).filter((day) => days.split(',').includes(day));
}

/** Returns what a form asks for. `now` is in ms since the epoch. */
export function bodyOf(draft: QuietDraft, now: number): QuietBody {
  const rules = draft.rules
    .split(',')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');
  return {
    servers: typedPatterns(draft.servers),
    ...(rules.length === 0 ? {} : { rules }),
    ...timesOf(draft, now),
    ...(draft.comment.trim() === '' ? {} : { comment: draft.comment.trim() }),
  };
}

type Times = Pick<QuietBody, 'start' | 'duration' | 'timezone' | 'rrule'>;

function timesOf(draft: QuietDraft, now: number): Times {
  const { when, begin, end, dayBegin, dayEnd, days, timezone } = draft;
  const today = dayIn(timezone, now);
  const daily = (day: string): Times => ({
    start: `${day}T${dayBegin}:00`,
    ...lengthOf(`${day}T${dayBegin}`, `${dayEnd > dayBegin ? day : dayAfter(day, 1)}T${dayEnd}`),
    timezone,
  });
  if (when === 'now') return hoursOf(draft);
  if (when === 'once') return { start: `${begin}:00`, ...lengthOf(begin, end), timezone };
  // The one of yesterday may last until now.
  if (when === 'daily') return { ...daily(dayAfter(today, -1)), rrule: 'FREQ=DAILY' };
  if (when === 'weekly') {
    return { ...daily(lastOf(days, today)), rrule: `FREQ=WEEKLY;BYDAY=${days.join(',')}` };
  }
  return { start: `${begin}:00`, ...hoursOf(draft), timezone, rrule: draft.rrule.trim() };
}

function hoursOf({ hours }: QuietDraft): Times {
  const duration = Math.round(Number(hours.replace(',', '.')) * HOUR_S);
  return Number.isFinite(duration) && hours.trim() !== '' ? { duration } : {};
}

function lengthOf(begin: string, end: string): Times {
  const duration = (Date.parse(`${end}Z`) - Date.parse(`${begin}Z`)) / 1000;
  return Number.isFinite(duration) ? { duration } : {};
}

/** Returns the last of some days of the week before today: it may last until now. */
function lastOf(days: readonly string[], today: string): string {
  for (let back = 1; back <= 7; back += 1) {
    const day = dayAfter(today, -back);
    const name = DAYS[(new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7]![0];
    if (days.includes(name)) return day;
  }
  return today;
}

/** Returns the day of a zone at a time, `2026-12-01`; in UTC if there is no such zone. */
function dayIn(zone: string, now: number): string {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(now);
  } catch {
    return isoOf(now).slice(0, 10);
  }
}

function dayAfter(day: string, days: number): string {
  return isoOf(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).slice(0, 10);
}

/** Returns the name of a quiet time that was given none: `web-1125-1842`. */
export function nameFor(draft: QuietDraft, now: number): string {
  const words = (typedPatterns(draft.servers)[0] ?? '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const time = isoOf(now).replaceAll(/[-:]/g, '');
  return `${words === '' ? 'all' : words.slice(0, 60)}-${time.slice(4, 8)}-${time.slice(9, 15)}`;
}

/** Returns words for when a quiet time occurs. */
export function whenText(quiet: Pick<QuietView, 'start' | 'duration' | 'timezone' | 'rrule'>): string {
  const { start, duration, timezone, rrule } = quiet;
  const [day = '', time = ''] = start.slice(0, 16).split('T');
  const length = secondsText(duration);
  if (rrule === undefined) return `once, ${day} ${time} ${timezone}, for ${length}`;
  const days = weekdaysIn(rrule);
  const named = DAYS.filter(([short]) => days.includes(short)).map(([, name]) => name);
  const often = rrule === 'FREQ=DAILY' ? 'every day' : named.length > 0 ? `every ${named.join(', ')}` : rrule;
  return `${often}, ${time} ${timezone}, for ${length}`;
}
