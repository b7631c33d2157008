/** Quiet times, as the API and the console answer them. Times are ISO 8601, UTC, but for `start`. */

/** A time in which subscriptions are muted. */
export interface QuietView {
  readonly name: string;
  /** Patterns of ids of servers. */
  readonly servers: readonly string[];
  /** Names of rules; absent: all. */
  readonly rules?: readonly string[];
  /** The first occurrence, a local time of the zone. */
  readonly start: string;
  /** Of each occurrence, s. */
  readonly duration: number;
  readonly timezone: string;
  /** RRULE of RFC 5545; absent: it occurs once. */
  readonly rrule?: string;
  readonly comment?: string;
  /** Name of the user who made it, or `operator`. */
  readonly by: string;
  /** True if operators made it; else absent. */
  readonly operator?: true;
  /** When it was made or changed last. */
  readonly at: string;
  /** The running occurrence, then the next, at most three. */
  readonly next: readonly { readonly from: string; readonly to: string }[];
}
