import { Refusal } from '../errors.js';
import { overloaded } from './committer.js';
import type { ActorKind } from './kind.js';
import type { ActorLimits } from './limits.js';

/** How long a document's texts are, characters. */
export interface Lengths {
  readonly hot: number;
  readonly cold: number;
}

/** The lengths of no document. */
export const NOTHING: Lengths = { hot: 0, cold: 0 };

/** The lengths of a document; where it has no cold text, the one that is stored stays. */
export function lengthsOf(
  document: { readonly hot: string; readonly cold: string | undefined } | undefined,
  stored: Lengths,
): Lengths {
  if (document === undefined) return NOTHING;
  return { hot: document.hot.length, cold: document.cold?.length ?? stored.cold };
}

/** Characters in all. */
export function sizeOf({ hot, cold }: Lengths): number {
  return hot + cold;
}

/** What a commit does to a document; `aged` where an older version wrote it, so that all of it is written anew. */
export interface Change {
  readonly from: Lengths;
  readonly to: Lengths;
  readonly aged: boolean;
}

/**
 * Throws a `Refusal` for a document beyond its limit: `too-large` for who adds to what is kept, `unavailable` where
 * only more passes through the hot text, which is on its way out and which its sender has no means to remove.
 */
export function refuseOutgrown(
  id: string,
  kind: Pick<ActorKind, 'cold'>,
  { from, to, aged }: Change,
  limits: Pick<ActorLimits, 'document' | 'whole'>,
): void {
  const adds = kind.cold.length === 0 || (to.cold > from.cold && !aged);
  if (adds && sizeOf(to) > limits.document) {
    throw new Refusal('too-large', `${id} would outgrow its limit; remove something first`);
  }
  if (sizeOf(to) > limits.whole) throw overloaded(`${id} has too much under way`);
}
