import { Refusal } from '../../errors.js';

/** Maximum number of quiet times of a tenant. */
export const QUIET_LIMIT = 100;
/** Maximum number of patterns, and of names of rules, of a quiet time. */
export const NAMES_LIMIT = 50;
/** Shortest and longest duration of one occurrence, s. */
export const SHORTEST_QUIET_S = 60;
export const LONGEST_QUIET_S = 30 * 24 * 60 * 60;

/** When a quiet time occurs. */
export interface Recurrence {
  /** The first occurrence, a local time of the zone: `2026-12-01T22:00:00`. */
  readonly start: string;
  /** Of each occurrence, s. */
  readonly duration: number;
  /** A name of the IANA database. */
  readonly timezone: string;
  /** RRULE of RFC 5545; absent: it occurs once. */
  readonly rrule?: string | undefined;
}

/** A time in which the subscriptions of some servers are muted (docs/policy-api.md, "Quiet times"). */
export interface QuietTime extends Recurrence {
  readonly name: string;
  /** Patterns of ids of servers; `*` stands for any characters. */
  readonly servers: readonly string[];
  /** Names of rules; absent: all rules. */
  readonly rules?: readonly string[] | undefined;
  readonly comment?: string | undefined;
  /** Name of the user who made it, or `operator`. */
  readonly by: string;
  /** True: operators made it, and no one else changes or deletes it. */
  readonly operator: boolean;
  /** When it was made or changed last, ms since the epoch. */
  readonly at: number;
  readonly plan: QuietPlan;
}

/** The occurrences of a quiet time that are known in advance. A plan is replaced before it runs out. */
export interface QuietPlan {
  /** Ascending; those that overlap or touch are one. ms since the epoch. */
  readonly spans: readonly QuietSpan[];
  /** Until when all occurrences are known, ms since the epoch; null: no others will come. */
  readonly to: number | null;
  /** When the next plan is to be made, ms since the epoch; null: never. */
  readonly renewAt: number | null;
}

export type QuietSpan = readonly [from: number, to: number];

/** Returns the running span at `now`, and the following ones. */
export function spansFrom({ plan }: QuietTime, now: number): readonly QuietSpan[] {
  return plan.spans.filter(([, to]) => now < to);
}

/** Returns the end of a quiet time that is running at `now`, ms since the epoch; undefined if it is not. */
export function quietEnd({ plan }: QuietTime, now: number): number | undefined {
  for (const [from, to] of plan.spans) {
    if (now < from) return undefined;
    if (now < to) return to;
  }
  return undefined;
}

/** True if the next plan of a quiet time is to be made at `now`. */
export function isDue({ plan }: QuietTime, now: number): boolean {
  return plan.renewAt !== null && plan.renewAt <= now;
}

/** Returns when the first of the next plans is to be made, ms since the epoch; undefined: never. */
export function nextRenewal(list: readonly QuietTime[]): number | undefined {
  return least(list.map(({ plan }) => plan.renewAt));
}

/** Returns until when all occurrences of quiet times are known, ms since the epoch; undefined: for good. */
export function plannedTo(list: readonly QuietTime[]): number | undefined {
  return least(list.map(({ plan }) => plan.to));
}

function least(times: readonly (number | null)[]): number | undefined {
  const first = times.reduce<number>((min, time) => Math.min(min, time ?? Infinity), Infinity);
  return first === Infinity ? undefined : first;
}

/** Returns the list with a quiet time, in the place of the one of its name. Throws `Refusal`: `conflict` beyond the limit. */
export function withQuiet(list: readonly QuietTime[], quiet: QuietTime): readonly QuietTime[] {
  const index = list.findIndex(({ name }) => name === quiet.name);
  if (index !== -1) {
    refuseOperators(list[index]!, quiet.operator);
    return list.with(index, quiet);
  }
  if (list.length < QUIET_LIMIT) return [...list, quiet];
  throw new Refusal(
    'conflict',
    `name: a tenant can have at most ${QUIET_LIMIT} quiet times; delete one first`,
  );
}

/**
 * Returns the list without the quiet time of a name. `operator`: operators ask for it. Throws `Refusal`: `not-found` for an unknown one,
 * `forbidden` for one of operators.
 */
export function withoutQuiet(
  list: readonly QuietTime[],
  name: string,
  operator: boolean,
): readonly QuietTime[] {
  refuseOperators(quietIn(list, name), operator);
  return list.filter((one) => one.name !== name);
}

/** Returns the quiet time of a name. Throws `Refusal('not-found')` for an unknown one. */
export function quietIn(list: readonly QuietTime[], name: string): QuietTime {
  const known = list.find((one) => one.name === name);
  if (known === undefined) throw new Refusal('not-found', `name: no quiet time ${name} is known`);
  return known;
}

function refuseOperators(known: QuietTime, operator: boolean): void {
  if (!known.operator || operator) return;
  throw new Refusal(
    'forbidden',
    `name: operators made the quiet time ${known.name}; only they change and delete it`,
  );
}
