import type { AnyBulkWriteOperation, MatchKeysAndValues, UpdateFilter } from 'mongodb';
import { addressOf, type Commit, type Listed, type NextDocument, type Stored } from '../port.js';

/** A document in MongoDB. Users' data are values only: `$` and `.` have no meaning in them. */
export interface ActorDocument {
  readonly _id: string;
  readonly rev: number;
  /** The commit that made this revision. */
  readonly by: string;
  /** The kind in `_id`, for the index by state. */
  readonly kind: string;
  readonly v: number;
  readonly state: string;
  readonly wakeAt?: number;
  /** The queue in which it waits. */
  readonly queue?: string;
  /** Replaces `wakeAt` if it waits in a queue: the index of due documents has none of these. */
  readonly turnAt?: number;
  /** The place among the documents of its kind: see `Place`. */
  readonly order?: string;
  readonly tags?: string;
  /** The tenant in `_id`, of a document with a place. */
  readonly tenant?: string;
  readonly frequent: string;
  readonly rare: string;
}

/** Returns the document as the port has it. */
export function listed(document: ActorDocument): Listed {
  const { _id, rev, v, state, queue, frequent, rare } = document;
  return { id: _id, revision: rev, version: v, state, wakeAt: timeOf(document), queue, frequent, rare };
}

/** Returns the document with its place, as the port has it. */
export function stored(document: ActorDocument): Stored {
  const { id: _, ...rest } = listed(document);
  const { order, tags } = document;
  return tags === undefined ? rest : { ...rest, place: { order, tags } };
}

/** Returns the time of the next wake-up, in a queue or not. */
export function timeOf({ wakeAt, turnAt }: Pick<ActorDocument, 'wakeAt' | 'turnAt'>): number | undefined {
  return wakeAt ?? turnAt;
}

/**
 * Returns a commit as one operation that wins, or fails with a code that `isMiss` knows. A new document is an insertion, which
 * fails if the id exists. It is not an upsert: servers write the insertions of a call together, and upserts one by one.
 *
 * A change is an update. A bulk write returns how many updates found their document, but not which; only an error names its
 * operation. Each update is therefore an upsert, which becomes an insertion if the revision is not found. That insertion always
 * fails: the `kind` of the filter is a string and cannot have a field `missed`.
 */
export function writeOf(commit: Commit, next: NextDocument): AnyBulkWriteOperation<ActorDocument> {
  const { id, expected } = commit;
  const kind = kindOf(id);
  if (expected === 0) {
    const document = { _id: id, kind, ...fieldsOf(commit, next) };
    return { insertOne: { document: document as ActorDocument } };
  }
  const update: UpdateFilter<ActorDocument> = {
    $set: fieldsOf(commit, next),
    ...unset(commit, next),
    $setOnInsert: { 'kind.missed': 1 } as MatchKeysAndValues<ActorDocument>,
  };
  return { updateOne: { filter: { _id: id, rev: expected, kind }, update, upsert: true } };
}

function fieldsOf(commit: Commit, next: NextDocument): Partial<ActorDocument> {
  const { version, state, wakeAt, queue, frequent, rare } = next;
  return {
    rev: commit.revision,
    by: commit.commitId,
    v: version,
    state,
    ...(frequent !== undefined && { frequent }),
    ...(wakeAt !== undefined && (queue === undefined ? { wakeAt } : { turnAt: wakeAt })),
    ...(queue !== undefined && { queue }),
    ...(rare !== undefined && { rare }),
    ...placeOf(commit, next),
  };
}

function placeOf({ id, previous }: Commit, { place }: NextDocument): Partial<ActorDocument> {
  if (place === undefined) return {};
  const { order, tags } = place;
  return {
    tags,
    ...(order !== undefined && { order }),
    ...(previous?.place === undefined && { tenant: addressOf(id).tenant }),
  };
}

/** Returns the removal of the fields that the next document lacks and the previous one may have. */
function unset({ previous }: Commit, { wakeAt, queue, place }: NextDocument): UpdateFilter<ActorDocument> {
  const gone: Record<string, 1> = {};
  if (wakeAt === undefined || queue !== undefined) gone['wakeAt'] = 1;
  if (previous?.queue !== undefined && (wakeAt === undefined || queue === undefined)) gone['turnAt'] = 1;
  if (previous?.queue !== undefined && queue === undefined) gone['queue'] = 1;
  if (place !== undefined && place.order === undefined && previous?.place?.order !== undefined)
    gone['order'] = 1;
  for (const _ in gone) return { $unset: gone };
  return {};
}

function kindOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}
