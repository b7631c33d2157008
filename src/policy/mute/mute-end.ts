import { Refusal } from '../../errors.js';
import { isoTime } from '../../untrusted/iso-time.js';
import { isoOf } from '../../system/iso.js';

/** Longest mute, s: 30 days. */
export const LONGEST_MUTE_S = 30 * 24 * 60 * 60;

/** How long a subscription is to be muted (docs/policy-api.md, "Subscriptions"), and why. Has one of `for` and `until`. */
export interface WantedMute {
  /** s. */
  readonly for?: number;
  /** ISO 8601 with a zone. */
  readonly until?: string;
  readonly comment?: string;
}

/**
 * Returns the end of a mute that begins at `now`; both in ms since the epoch. Throws `Refusal('bad-request')` for an
 * `until` that is not in the future, or more than 30 days ahead.
 */
export function muteEnd(wanted: WantedMute, now: number): number {
  if (wanted.for !== undefined) return now + wanted.for * 1000;
  const until = isoTime(wanted.until ?? '');
  if (until !== undefined && until > now && until <= now + LONGEST_MUTE_S * 1000) return until;
  const latest = isoOf(now + LONGEST_MUTE_S * 1000);
  throw new Refusal('bad-request', `until: must be in the future and at most 30 days ahead, ${latest}`);
}
