import { Refusal } from '../../errors.js';

/** Which of a tenant's webhook secrets sign. The secrets themselves are derived, and stored nowhere. */
export interface SecretGenerations {
  /** Number of the newest secret; the first one has 1. */
  readonly current: number;
  /** Those before it that still sign, newest first. */
  readonly replaced: readonly { readonly generation: number; readonly until: number }[];
}

/** How long a secret signs after it was replaced, ms (contract, "Webhook secrets"). */
const REPLACED_SIGNS_MS = 24 * 60 * 60 * 1000;
/** Most secrets that sign at the same time: each of them makes the header longer. */
const SIGNING_LIMIT = 10;

/** What holds for a tenant that never asked for a new secret. */
export const FIRST_GENERATION: SecretGenerations = { current: 1, replaced: [] };

/** Without the secrets whose time is over. */
export function signingAt(generations: SecretGenerations, now: number): SecretGenerations {
  return { ...generations, replaced: generations.replaced.filter(({ until }) => now < until) };
}

/**
 * A new secret. Every replaced one keeps the 24 hours that were promised for it, also where another new one follows
 * within them: a receiver may not have been told of any yet. Throws `Refusal('conflict')` where too many sign already.
 */
export function rotated(generations: SecretGenerations, now: number): SecretGenerations {
  const { current, replaced } = signingAt(generations, now);
  if (replaced.length + 1 >= SIGNING_LIMIT) {
    const free = new Date(replaced.at(-1)!.until).toISOString();
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
