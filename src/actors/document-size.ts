import { Refusal } from '../errors.js';
import { overloaded } from './committer.js';
import type { ActorKind } from './kind.js';
import type { ActorLimits } from './limits.js';

/** How long a document's texts are. */
export interface Lengths {
  /** Characters. */
  readonly hot: number;
  /** Characters. */
  readonly cold: number;
  /** Of the cold text, which few commits write. */
  readonly coldBytes: number;
}

/** The lengths of no document. */
export const NOTHING: Lengths = { hot: 0, cold: 0, coldBytes: 0 };

/** Most bytes of a character in UTF-8, as JavaScript counts characters. */
const CHARACTER_BYTES = 3;

interface Texts {
  readonly hot: string | undefined;
  readonly cold: string | undefined;
}

/** The lengths of a document once it is stored; a text that it does not give stays as it is. */
export function lengthsOf(document: Texts | undefined, stored: Lengths): Lengths {
  if (document === undefined) return NOTHING;
  const hot = document.hot?.length ?? stored.hot;
  const { cold } = document;
  if (cold === undefined) return { ...stored, hot };
  return { hot, cold: cold.length, coldBytes: Buffer.byteLength(cold) };
}

/** Characters in all. */
export function sizeOf({ hot, cold }: Lengths): number {
  return hot + cold;
}

/** What a commit does to a document. */
export interface Change {
  readonly from: Lengths;
  readonly to: Lengths;
  /** The new hot text; undefined: as committed. */
  readonly hot: string | undefined;
  /** Returns the hot text as committed; called for large documents alone. */
  readonly hotBefore: () => string;
  /** True where an older version wrote it, so that all of it is written anew. */
  readonly aged: boolean;
}

/**
 * Throws a `Refusal` for a document of more bytes of UTF-8 than its limit: `too-large` where what is added is too large
 * alone, `conflict` where less of what is kept would make room, `unavailable` where only what is on its way out does,
 * which no sender can remove.
 */
export function refuseOutgrown(
  id: string,
  kind: Pick<ActorKind, 'rarelyWritten' | 'room'>,
  { from, to, hot, hotBefore, aged }: Change,
  limits: Pick<ActorLimits, 'document' | 'whole'>,
): void {
  // Nearly every document is far below, and is not measured.
  if (to.hot * CHARACTER_BYTES + to.coldBytes <= limits.document) return;
  if (hot === undefined && to.coldBytes <= from.coldBytes) return;
  const hotBytes = Buffer.byteLength(hot ?? hotBefore());
  const bytes = hotBytes + to.coldBytes;
  const keepsHot = kind.rarelyWritten.length === 0;
  const adds = keepsHot ? to.hot >= from.hot : to.coldBytes > from.coldBytes && !aged;
  const limit = adds ? limits.document : limits.whole;
  if (bytes <= limit) return;
  const hotAdded = hot === undefined ? 0 : hotBytes - Buffer.byteLength(hotBefore());
  const added = adds && !keepsHot ? to.coldBytes - from.coldBytes : hotAdded;
  // What passes through must fit beside what is kept.
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
