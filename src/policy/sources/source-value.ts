import type { StaleTime } from '../windows/counted-times.js';

/** One value as a source sends it. */
export interface SourceValue {
  /** What names the server. Characters that no id of a server has become `_`. Empty: nothing names it. */
  readonly server: string;
  /** Name of a metric. `.`, `:`, `-`, and characters that no name of a metric has, become `_`. */
  readonly metric: string;
  readonly value: number;
  /**
   * The time of the value, ms since the epoch, with fractions down to µs. Absent: it has none, and counts all the same. NaN:
   * values of its source have times, but not this one.
   */
  readonly at?: number;
}

/** Why the intake leaves out values before their servers see them. */
export const SOURCE_REASONS = ['no server', 'no metric', 'no time', 'not a number', 'out of range'] as const;

/** Why a value of a source is left out. */
export type LeftOutWhy = (typeof SOURCE_REASONS)[number] | StaleTime;
