import { Refusal } from '../../errors.js';
import { isoOf } from '../../system/iso.js';

/** Which webhook secrets of a tenant sign. The secrets are derived from the generation and never stored. */
export interface SecretGenerations {
  /** Number of the newest secret; the first is 1. */
  readonly current: number;
  /** Replaced secrets that may still sign, newest first. `until` is in ms since the epoch. */
  readonly replaced: readonly { readonly generation: number; readonly until: number }[];
}

/** How long a replaced secret signs, ms (docs/policy-api.md, "Webhook secrets"). */
const REPLACED_SIGNS_MS = 24 * 60 * 60 * 1000;
/** Maximum number of secrets that sign at the same time. Each adds a signature to the header. */
const SIGNING_LIMIT = 10;

/** The generations of a tenant before its first rotation. */
export const FIRST_GENERATION: SecretGenerations = { current: 1, replaced: [] };

/** Removes the replaced secrets that no longer sign at `now`. */
export function signingAt(generations: SecretGenerations, now: number): SecretGenerations {
  return { ...generations, replaced: generations.replaced.filter(({ until }) => now < until) };
}

/**
 * Makes a new secret the current one. A replaced secret keeps its 24 hours through further rotations, because a receiver
 * may not know any newer secret yet. Throws `Refusal('conflict')` beyond 10 signing secrets.
 */
export function rotated(generations: SecretGenerations, now: number): SecretGenerations {
  const { current, replaced } = signingAt(generations, now);
  if (replaced.length + 1 >= SIGNING_LIMIT) {
    const free = isoOf(replaced.at(-1)!.until);
    throw new Refusal(
      'conflict',
      `${SIGNING_LIMIT} secrets sign already; another one can be made after ${free}`,
    );
  }
  return {
    current: current + 1,
    replaced: [{ generation: current, until: now + REPLACED_SIGNS_MS }, ...replaced],
  };
}
