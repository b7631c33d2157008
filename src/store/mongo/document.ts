import type { AnyBulkWriteOperation, MatchKeysAndValues, UpdateFilter } from 'mongodb';
import type { Commit, Listed, NextDocument } from '../port.js';

/** A document as MongoDB holds it. What users wrote is only ever a value, so that `$` and `.` mean nothing in it. */
export interface ActorDocument {
  readonly _id: string;
  readonly rev: number;
  /** The commit that made this revision. */
  readonly by: string;
  /** The kind in `_id`, promoted for the index by state. */
  readonly kind: string;
  readonly v: number;
  readonly state: string;
  readonly wakeAt?: number;
  /** The queue that it waits in. */
  readonly queue?: string;
  /** In the place of `wakeAt` where it waits in a queue, so that the index by time has none of these. */
  readonly turnAt?: number;
  readonly hot: string;
  readonly cold: string;
}

/** The document in the port's words. */
export function listed(document: ActorDocument): Listed {
  const { _id, rev, v, state, queue, hot, cold } = document;
  return { id: _id, revision: rev, version: v, state, wakeAt: timeOf(document), queue, hot, cold };
}

/** When a document is to be woken, be it in a queue or not. */
export function timeOf({ wakeAt, turnAt }: Pick<ActorDocument, 'wakeAt' | 'turnAt'>): number | undefined {
  return wakeAt ?? turnAt;
}

/** The error of a change that found no document of its revision (PathNotViable). */
export const NOT_FOUND_CODE = 28;

/** The error of a new document whose id is taken (DuplicateKey). */
const TAKEN_CODE = 11_000;

/** True for the errors by which a server says that an operation of `writeOf` did not find the expected revision. */
export function isMiss(code: unknown): boolean {
  return code === NOT_FOUND_CODE || code === TAKEN_CODE;
}

/** BadValue, FailedToParse, BSONObjectTooLarge, and what servers say of a document that an update makes too large. */
const OWN_FAULTS: ReadonlySet<unknown> = new Set([2, 9, 10_334, 17_419, 17_420, 17_280]);

/** True for the errors of an operation that no server will ever carry out, whatever is stored. */
export function isOwnFault(code: unknown): boolean {
  return OWN_FAULTS.has(code);
}

/**
 * A commit as one operation that either wins or fails with a code that `isMiss` knows. A bulk write tells how many
 * operations found their document, but not which; only an error names its operation. So each is an upsert, which
 * MongoDB turns into an insertion where the revision is not found: an insertion of a new document fails where the id
 * is taken, and one in place of a document that should be there always fails, since its kind is a string and cannot
 * get a field of its own.
 */
export function writeOf(commit: Commit, next: NextDocument): AnyBulkWriteOperation<ActorDocument> {
  const { id, expected } = commit;
  const kind = kindOf(id);
  const isNew = expected === 0;
  const update: UpdateFilter<ActorDocument> = {
    $set: fieldsOf(commit, next, isNew ? kind : undefined),
    ...(!isNew && unset(commit, next)),
    ...(!isNew && { $setOnInsert: { 'kind.missed': 1 } as MatchKeysAndValues<ActorDocument> }),
  };
  return { updateOne: { filter: { _id: id, rev: expected, ...(!isNew && { kind }) }, update, upsert: true } };
}

function fieldsOf(commit: Commit, next: NextDocument, kind: string | undefined): Partial<ActorDocument> {
  const { version, state, wakeAt, queue, hot, cold } = next;
  return {
    rev: commit.revision,
    by: commit.commitId,
    v: version,
    state,
    ...(hot !== undefined && { hot }),
    ...(kind !== undefined && { kind }),
    ...(wakeAt !== undefined && (queue === undefined ? { wakeAt } : { turnAt: wakeAt })),
    ...(queue !== undefined && { queue }),
    ...(cold !== undefined && { cold }),
  };
}

/** The fields that a document may have had and has no more. */
function unset({ previous }: Commit, { wakeAt, queue }: NextDocument): UpdateFilter<ActorDocument> {
  const gone: Record<string, 1> = {};
  if (wakeAt === undefined || queue !== undefined) gone['wakeAt'] = 1;
  if (previous?.queue !== undefined && (wakeAt === undefined || queue === undefined)) gone['turnAt'] = 1;
  if (previous?.queue !== undefined && queue === undefined) gone['queue'] = 1;
  for (const _ in gone) return { $unset: gone };
  return {};
}

function kindOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}
