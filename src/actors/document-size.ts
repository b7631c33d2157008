import { Refusal } from '../errors.js';
import { overloaded } from './committer.js';
import type { ActorKind } from './kind.js';
import type { ActorLimits } from './limits.js';

/** Lengths of a document's texts. */
export interface Lengths {
  /** Characters. */
  readonly hot: number;
  /** Characters. */
  readonly cold: number;
  /** Bytes of UTF-8 of the cold text. */
  readonly coldBytes: number;
}

/** The lengths if there is no document. */
export const NO_LENGTHS: Lengths = { hot: 0, cold: 0, coldBytes: 0 };

/** Most bytes of UTF-8 of a UTF-16 code unit. */
const CHARACTER_BYTES = 3;

interface Texts {
  readonly hot: string | undefined;
  readonly cold: string | undefined;
}

/** Returns the lengths of a document once it is stored; a text that it lacks stays as it is. */
export function lengthsOf(document: Texts | undefined, stored: Lengths): Lengths {
  if (document === undefined) return NO_LENGTHS;
  const hot = document.hot?.length ?? stored.hot;
  const { cold } = document;
  // No spread: it would take a microsecond of every commit.
  if (cold === undefined) return { hot, cold: stored.cold, coldBytes: stored.coldBytes };
  return { hot, cold: cold.length, coldBytes: Buffer.byteLength(cold) };
}

/** Returns the characters of both texts. */
export function sizeOf({ hot, cold }: Lengths): number {
  return hot + cold;
}

/** The change of a document by a commit. */
export interface Change {
  readonly from: Lengths;
  readonly to: Lengths;
  /** The new hot text; undefined: as committed. */
  readonly hot: string | undefined;
  /** Returns the hot text as committed; called for large documents alone. */
  readonly hotBefore: () => string;
  /** True if an older version of the machine wrote the stored texts: both are written anew. */
  readonly migrated: boolean;
}

/**
 * Throws a `Refusal` if a document would have more bytes of UTF-8 than its limit: `too-large` if the addition is too
 * large by itself, `conflict` if its users can make room (`ActorKind.room`), `unavailable` if room comes only when
 * outgoing data is out.
 */
export function refuseOversized(
  id: string,
  kind: Pick<ActorKind, 'rarelyWritten' | 'room'>,
  { from, to, hot, hotBefore, migrated }: Change,
  limits: Pick<ActorLimits, 'document' | 'whole'>,
): void {
  // Nearly every document is far below the limit: its bytes are not counted.
  if (to.hot * CHARACTER_BYTES + to.coldBytes <= limits.document) return;
  if (hot === undefined && to.coldBytes <= from.coldBytes) return;
  const hotBytes = Buffer.byteLength(hot ?? hotBefore());
  const bytes = hotBytes + to.coldBytes;
  const keepsHot = kind.rarelyWritten.length === 0;
  const adds = keepsHot ? to.hot >= from.hot : to.coldBytes > from.coldBytes && !migrated;
  const limit = adds ? limits.document : limits.whole;
  if (bytes <= limit) return;
  const hotAdded = hot === undefined ? 0 : hotBytes - Buffer.byteLength(hotBefore());
  const added = adds && !keepsHot ? to.coldBytes - from.coldBytes : hotAdded;
  // Outgoing data must fit beside what the actor keeps.
  const kept = adds ? 0 : to.coldBytes;
  if (added + kept > limit) {
    throw new Refusal(
      'too-large',
      `${id} would have ${bytes} bytes, and at most ${limit} are allowed; send less together`,
    );
  }
  if (!adds || kind.room === undefined) throw overloaded(`${id} has too much under way`);
  throw new Refusal(
    'conflict',
    `${id} would have ${bytes} bytes, and at most ${limit} are allowed; ${kind.room}`,
  );
}
