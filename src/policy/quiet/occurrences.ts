import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { localOf } from './local-time.js';
import type { QuietPlan, QuietSpan, Recurrence } from './quiet-time.js';
import { readRule } from './rule-text.js';

// The recurrence of a rule is that of local times, without a zone. Each local time is then found in the zone. So a rule is
// computed in UTC, which is quick, and the zone decides about skipped and doubled times alone.

/** Maximum number of spans of a plan, and of occurrences after and before now that are computed for it. */
const SPANS = 32;
const OCCURRENCES = 1_000;
const EARLIER = 64;
/** Maximum time of the search for a plan, ms. */
const SEARCH_MS = 1_000;
/** Pause after a search that took too long to find the next occurrence, ms. */
const SEARCH_AGAIN_MS = 24 * 60 * 60 * 1000;
/** Maximum change of the offset of a zone, ms. */
const LONGEST_SKIP_MS = 26 * 60 * 60 * 1000;

/** The local times at which a quiet time begins, as ms since 1970 of a clock without a zone. */
interface LocalStarts {
  /** Returns the first one after a time, or at it; undefined: there is none. Throws if the search is too long. */
  from(local: number): number | undefined;
  /** Returns the last one before a time; undefined: there is none. Throws if the search is too long. */
  before(local: number): number | undefined;
}

/** A rule that cannot be computed. The message is for its author. */
export class BadRecurrence extends Error {}

/** Returns the plan of a new quiet time at `now`. Throws `BadRecurrence`. */
export function firstPlan(recurrence: Recurrence, now: number): QuietPlan {
  try {
    const starts = localStarts(recurrence);
    const found = planned(recurrence, starts, now);
    if (found !== undefined) return found;
  } catch (error) {
    if (error instanceof BadRecurrence) throw error;
  }
  throw new BadRecurrence(
    'takes too long to compute, or never occurs; name fewer parts, a larger FREQ, or UNTIL in place of COUNT',
  );
}

/** Returns the next plan of a quiet time at `now`. */
export function nextPlan(recurrence: Recurrence, now: number): QuietPlan {
  const none = { spans: [], to: now + SEARCH_AGAIN_MS, renewAt: now + SEARCH_AGAIN_MS };
  try {
    return planned(recurrence, localStarts(recurrence), now) ?? none;
  } catch {
    return none;
  }
}

/** Returns undefined if no occurrence was found in time. */
function planned(recurrence: Recurrence, starts: LocalStarts, now: number): QuietPlan | undefined {
  const durationMs = recurrence.duration * 1000;
  const last = lastStart(recurrence);
  const inZone = zoneOf(recurrence.timezone);
  const stopAt = performance.now() + SEARCH_MS;
  const found: { readonly local: number; readonly from: number }[] = [];
  let end = -Infinity;
  let spans = 0;
  let isWhole = false;
  let local = starts.from(inZone.localBefore(now - durationMs));
  for (let count = 0; count < OCCURRENCES && spans <= SPANS + 1 && performance.now() < stopAt; count += 1) {
    const from = local === undefined ? Infinity : inZone.instantOf(local);
    if (local === undefined || from > last) {
      isWhole = true;
      break;
    }
    if (from + durationMs > now) {
      found.push({ local, from });
      if (from > end) spans += 1;
      end = Math.max(end, from + durationMs);
    }
    local = starts.from(local + 1);
  }
  // A skipped time comes after later ones of the same day.
  const merged = mergedSpans(
    found.map(({ from }) => from).toSorted((a, b) => a - b),
    durationMs,
  );
  const kept = isWhole ? merged : merged.slice(0, Math.max(1, merged.length - 1));
  const running = kept[0];
  if (running === undefined) return isWhole ? { spans: [], to: null, renewAt: null } : undefined;
  const first = running[0] <= now ? beginning(found[0]!, starts, inZone, durationMs) : running[0];
  const all = kept.with(0, [Math.min(first, running[0]), running[1]]);
  if (isWhole) return { spans: all, to: null, renewAt: null };
  const to = all.at(-1)![1];
  const half = all.length > 1 ? all[all.length >> 1]![1] : now + (to - now) / 2;
  return { spans: all, to, renewAt: Math.max(now + 1_000, Math.floor(half)) };
}

/** Returns when the occurrences began that reach to one without a pause, ms since the epoch. */
function beginning(
  first: { readonly local: number; readonly from: number },
  starts: LocalStarts,
  inZone: ReturnType<typeof zoneOf>,
  durationMs: number,
): number {
  let { local, from } = first;
  for (let count = 0; count < EARLIER; count += 1) {
    const before = starts.before(local);
    if (before === undefined) break;
    const earlier = inZone.instantOf(before);
    if (earlier + durationMs < from) break;
    local = before;
    from = Math.min(from, earlier);
  }
  return from;
}

function mergedSpans(starts: readonly number[], durationMs: number): readonly QuietSpan[] {
  const spans: [number, number][] = [];
  for (const from of starts) {
    const last = spans.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = from + durationMs;
    else spans.push([from, from + durationMs]);
  }
  return spans;
}

/** RFC 5545: `start` is the first occurrence, also where the rule does not have it, and counts for COUNT. */
function localStarts({ start, rrule }: Recurrence): LocalStarts {
  const first = localOf(start);
  if (rrule === undefined) {
    return {
      from: (local) => (local <= first ? first : undefined),
      before: (local) => (first < local ? first : undefined),
    };
  }
  const dtstart = start.replaceAll(/[-:]/g, '');
  const text = readRule(rrule).rule;
  const rule = ruleOf(`DTSTART;TZID=UTC:${dtstart}\nRRULE:${text}`);
  if (text.includes('COUNT='))
    return listedStarts(rule.all().map(({ epochMilliseconds }) => epochMilliseconds));
  return {
    from: (local) => rule.next(new Date(local), true)?.epochMilliseconds,
    before: (local) => rule.previous(new Date(local))?.epochMilliseconds,
  };
}

/** To count, all have to be found. */
function listedStarts(all: readonly number[]): LocalStarts {
  return {
    from: (local) => all.find((one) => one >= local),
    before: (local) => all.findLast((one) => one < local),
  };
}

function ruleOf(rruleString: string): RRuleTemporal {
  try {
    return new RRuleTemporal({ rruleString, strict: true, includeDtstart: true });
  } catch (error) {
    throw new BadRecurrence(`cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns the last instant at which an occurrence may begin, ms since the epoch. */
function lastStart({ rrule, timezone }: Recurrence): number {
  const until = rrule === undefined ? undefined : readRule(rrule).until;
  if (until === undefined) return Infinity;
  const [day, time = '235959'] = until.replace('Z', '').split('T') as [string, string?];
  const text =
    `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}` +
    `T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4, 6)}`;
  const local = localOf(text);
  if (Number.isNaN(local)) throw new BadRecurrence(`UNTIL must be a day of the calendar, not ${until}`);
  return until.endsWith('Z') ? local : zoneOf(timezone).instantOf(local);
}

/** Returns the clock of a zone. */
function zoneOf(timezone: string) {
  const offsetAt = (at: number): number =>
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;
  return {
    /** Returns when a local time is, ms since the epoch. A skipped one takes the offset before, of a doubled one it is the first. */
    instantOf: (local: number): number =>
      Temporal.Instant.fromEpochMilliseconds(local)
        .toZonedDateTimeISO('UTC')
        .toPlainDateTime()
        .toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds,
    /** Returns a local time before all those that are after an instant, ms since the epoch. */
    localBefore: (at: number): number => at + Math.min(offsetAt(at), offsetAt(at - LONGEST_SKIP_MS)),
  };
}
