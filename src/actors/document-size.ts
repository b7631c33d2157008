import { overloaded, Refusal } from '../errors.js';
import type { NextDocument } from '../store/port.js';
import type { ActorLimits } from './overload.js';
import type { ActorKind } from './kind.js';

/** Lengths of a document's texts. */
export interface Lengths {
  /** Characters. */
  readonly frequent: number;
  /** Characters. */
  readonly rare: number;
  /** Bytes of UTF-8 of the rarely written text. */
  readonly rareBytes: number;
}

/** The lengths if there is no document. */
export const NO_LENGTHS: Lengths = { frequent: 0, rare: 0, rareBytes: 0 };

/** Maximum number of bytes of UTF-8 of a UTF-16 code unit. */
const CHARACTER_BYTES = 3;

/** Returns the lengths of a document once it is stored; a text that it lacks stays as it is. */
export function lengthsOf(
  document: Pick<NextDocument, 'frequent' | 'rare'> | undefined,
  stored: Lengths,
): Lengths {
  if (document === undefined) return NO_LENGTHS;
  const frequent = document.frequent?.length ?? stored.frequent;
  const { rare } = document;
  // No spread: it would take a microsecond of every commit.
  if (rare === undefined) return { frequent, rare: stored.rare, rareBytes: stored.rareBytes };
  return { frequent, rare: rare.length, rareBytes: Buffer.byteLength(rare) };
}

/** Returns the characters of both texts. */
export function sizeOf({ frequent, rare }: Lengths): number {
  return frequent + rare;
}

/** The change of a document by a commit. */
export interface Change {
  readonly from: Lengths;
  readonly to: Lengths;
  /** The new frequently written text; undefined: as committed. */
  readonly frequent: string | undefined;
  /** Returns the frequently written text as committed; called for large documents alone. */
  readonly frequentBefore: () => string;
  /** True if an older version of the machine wrote the stored texts: both are written anew. */
  readonly migrated: boolean;
}

/**
 * Throws a `Refusal` if a document would have more bytes of UTF-8 than its limit: `too-large` if the addition is too
 * large by itself, `conflict` if its users can make room (`ActorKind.whenTooLarge`), `unavailable` if room comes only when
 * outgoing data is out.
 */
export function refuseOversized(
  id: string,
  kind: Pick<ActorKind, 'rarelyWritten' | 'whenTooLarge'>,
  { from, to, frequent, frequentBefore, migrated }: Change,
  limits: Pick<ActorLimits, 'document' | 'whole'>,
): void {
  // Nearly every document is far below the limit: its bytes are not counted.
  if (to.frequent * CHARACTER_BYTES + to.rareBytes <= limits.document) return;
  if (frequent === undefined && to.rareBytes <= from.rareBytes) return;
  const frequentBytes = Buffer.byteLength(frequent ?? frequentBefore());
  const bytes = frequentBytes + to.rareBytes;
  const keepsFrequent = kind.rarelyWritten === undefined;
  const adds = keepsFrequent ? to.frequent >= from.frequent : to.rareBytes > from.rareBytes && !migrated;
  const limit = adds ? limits.document : limits.whole;
  if (bytes <= limit) return;
  const frequentAdded = frequent === undefined ? 0 : frequentBytes - Buffer.byteLength(frequentBefore());
  const added = adds && !keepsFrequent ? to.rareBytes - from.rareBytes : frequentAdded;
  // Outgoing data must fit beside what the actor keeps.
  const kept = adds ? 0 : to.rareBytes;
  if (added + kept > limit) {
    throw new Refusal(
      'too-large',
      `${id} would have ${bytes} bytes, and at most ${limit} are allowed; send less together`,
    );
  }
  if (!adds || kind.whenTooLarge === undefined) throw overloaded(`${id} has too much under way`);
  throw new Refusal(
    'conflict',
    `${id} would have ${bytes} bytes, and at most ${limit} are allowed; ${kind.whenTooLarge}`,
  );
}

/** Returns the refusal of an event after which the store cannot hold the document, although its size is within the limits. */
export function tooLargeForStore(id: string, { whenTooLarge }: Pick<ActorKind, 'whenTooLarge'>): Refusal {
  const message = `${id} would be too large for the database`;
  return whenTooLarge === undefined
    ? new Refusal('too-large', `${message}; send less together`)
    : new Refusal('conflict', `${message}; ${whenTooLarge}`);
}
