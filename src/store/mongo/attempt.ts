import { MongoBulkWriteError } from 'mongodb';
import type { BulkWriteResult, Collection } from 'mongodb';
import { isMiss, isOwnFault, writeOf } from './document.js';
import type { ActorDocument } from './document.js';
import { isRefusal } from './failure.js';
import { Unstorable } from '../port.js';
import type { Commit } from '../port.js';

/**
 * What became of a commit that was sent once: `missed` means that the server did not find the expected revision, an
 * `Unstorable` that the commit is refused for its own sake, another `Error` that the server's answer is not known or not
 * final.
 */
export type Attempt = 'won' | 'missed' | Error;

/** Sends commits once, all together; gives one result for each, in their order. Never rejects. */
export async function attempt(
  actors: Collection<ActorDocument>,
  commits: readonly Commit[],
): Promise<Attempt[]> {
  const results = new Map<Commit, Attempt>();
  await Promise.all([
    writeTogether(actors, commits, results),
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

/** Sends operations; gives what became of the one at an index. */
async function send(
  actors: Collection<ActorDocument>,
  operations: Operations,
): Promise<(index: number) => Attempt> {
  try {
    await actors.bulkWrite(operations, { ordered: false });
    return () => 'won';
  } catch (error) {
    if (isRefusal(error)) return sendApart(actors, operations, error);
    if (!(error instanceof MongoBulkWriteError)) return () => error as Error;
    const failed = new Map([error.writeErrors].flat().map((fault) => [fault.index, fault]));
    if (!isComplete(error.result, operations.length, failed.size)) return () => error;
    return (index) => {
      const fault = failed.get(index);
      if (fault === undefined) return 'won';
      if (isMiss(fault.code)) return 'missed';
      return isOwnFault(fault.code) ? refused(fault.errmsg, error) : error;
    };
  }
}

/**
 * Finds out for whose sake operations were refused that were sent together, which neither the driver nor the server
 * tells: halves are sent until one is alone. An operation that was carried out the first time is known by its commit.
 */
async function sendApart(
  actors: Collection<ActorDocument>,
  operations: Operations,
  error: Error,
): Promise<(index: number) => Attempt> {
  if (operations.length === 1) return () => refused(error.message, error);
  const half = operations.length >> 1;
  const [first, second] = [
    await send(actors, operations.slice(0, half)),
    await send(actors, operations.slice(half)),
  ];
  return (index) => (index < half ? first(index) : second(index - half));
}

function refused(why: string | undefined, cause: unknown): Unstorable {
  return new Unstorable(`MongoDB refuses a document: ${why ?? 'no reason given'}`, { cause });
}

/** True where the error is nothing but a list of operations that failed, all others having been done durably. */
function isComplete(result: BulkWriteResult, operations: number, failed: number): boolean {
  const done = result.matchedCount + result.upsertedCount;
  return result.getWriteConcernError() === undefined && done + failed === operations;
}

/** Removals go one by one: their number alone would not say which of them found its document. */
async function remove(actors: Collection<ActorDocument>, { id, expected }: Commit): Promise<Attempt> {
  if (expected === 0) return 'missed';
  try {
    const { deletedCount } = await actors.deleteOne({ _id: id, rev: expected });
    return deletedCount === 1 ? 'won' : 'missed';
  } catch (error) {
    return error as Error;
  }
}
