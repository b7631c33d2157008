import {
  type BulkWriteResult,
  type Collection,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
} from 'mongodb';
import { isMiss, isOwnFault, isTooLarge } from './codes.js';
import { type ActorDocument, writeOf } from './document.js';
import { refusalIn } from './failure.js';
import { type Commit, Unstorable } from '../port.js';

/**
 * The result of sending a commit once. `missed`: the server did not find the expected revision. An `Unstorable`: the
 * server refuses this commit. Another `Error`: the answer is unknown or not final.
 */
export type Attempt = 'won' | 'missed' | Error;

/** Sends commits once, together. Resolves with one result for each, in their order; never rejects. */
export async function attempt(
  actors: Collection<ActorDocument>,
  commits: readonly Commit[],
): Promise<Attempt[]> {
  const results = new Map<Commit, Attempt>();
  const created = commits.filter(({ expected }) => expected === 0);
  const changed = commits.filter(({ expected }) => expected !== 0);
  // Apart: the driver sends the insertions and the updates of one bulk write one after the other.
  await Promise.all([
    writeTogether(actors, created, results),
    writeTogether(actors, changed, results),
    ...commits
      .filter((commit) => commit.next === undefined)
      .map(async (commit) => results.set(commit, await remove(actors, commit))),
  ]);
  return commits.map((commit) => results.get(commit)!);
}

async function writeTogether(
  actors: Collection<ActorDocument>,
  commits: readonly Commit[],
  results: Map<Commit, Attempt>,
): Promise<void> {
  const writes = commits.flatMap((commit) =>
    commit.next === undefined ? [] : [{ commit, operation: writeOf(commit, commit.next) }],
  );
  if (writes.length === 0) return;
  const judge = await send(
    actors,
    writes.map(({ operation }) => operation),
  );
  for (const [index, { commit }] of writes.entries()) results.set(commit, judge(index));
}

type Operations = Parameters<Collection<ActorDocument>['bulkWrite']>[0];

/** Sends operations; resolves with a function that returns the result of the one at an index. */
async function send(
  actors: Collection<ActorDocument>,
  operations: Operations,
): Promise<(index: number) => Attempt> {
  try {
    await actors.bulkWrite(operations, { ordered: false });
    return () => 'won';
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal !== undefined) return sendApart(actors, operations, refusal);
    if (!(error instanceof MongoBulkWriteError)) return () => error as Error;
    const failed = new Map([error.writeErrors].flat().map((fault) => [fault.index, fault]));
    if (!isComplete(error.result, operations.length, failed.size)) return () => error;
    return (index) => {
      const fault = failed.get(index);
      if (fault === undefined) return 'won';
      if (isMiss(fault.code)) return 'missed';
      return isOwnFault(fault.code) ? refused(fault.errmsg, isTooLarge(fault.code), error) : error;
    };
  }
}

/**
 * Finds the operation for which a call was refused, which neither the driver nor the server names: sends halves until one
 * operation is alone. Operations that were applied the first time are recognised by their `commitId`.
 */
async function sendApart(
  actors: Collection<ActorDocument>,
  operations: Operations,
  error: Error,
): Promise<(index: number) => Attempt> {
  if (operations.length === 1) {
    const { code } = error as { readonly code?: unknown };
    // The driver refuses what is longer than the server's limits, and Node.js what is longer than a buffer.
    const tooLarge =
      isTooLarge(code) || error instanceof MongoInvalidArgumentError || error instanceof RangeError;
    return () => refused(error.message, tooLarge, error);
  }
  const half = operations.length >> 1;
  const [first, second] = [
    await send(actors, operations.slice(0, half)),
    await send(actors, operations.slice(half)),
  ];
  return (index) => (index < half ? first(index) : second(index - half));
}

function refused(why: string | undefined, tooLarge: boolean, cause: unknown): Unstorable {
  return new Unstorable(`MongoDB refuses a document: ${why ?? 'no reason given'}`, { tooLarge, cause });
}

/** True if the error lists the operations that failed, and all others are durable. */
function isComplete(result: BulkWriteResult, operations: number, failed: number): boolean {
  const done = result.insertedCount + result.matchedCount + result.upsertedCount;
  return result.getWriteConcernError() === undefined && done + failed === operations;
}

/** Deletes one document: a bulk write returns only the number of deletions, not which they were. */
async function remove(actors: Collection<ActorDocument>, { id, expected }: Commit): Promise<Attempt> {
  if (expected === 0) return 'missed';
  try {
    const { deletedCount } = await actors.deleteOne({ _id: id, rev: expected });
    return deletedCount === 1 ? 'won' : 'missed';
  } catch (error) {
    return error as Error;
  }
}
