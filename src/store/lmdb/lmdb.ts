import { commitStorable } from '../check-commit.js';
import { STORE_FORMAT } from '../format.js';
import { lockFolder } from './folder-lock.js';
import { commit } from './change.js';
import { count } from './count.js';
import { countAll, tally } from './counts.js';
import { join } from 'node:path';
import { Moments } from './moments.js';
import { due, kinds, list, load, ordered, outline, queued, queues } from './read.js';
import { keepTime, keptTime, reserveIn } from './numbers.js';
import { FORMAT, TRIAL } from './tables.js';
import { makeFolder } from './make-folder.js';
import { DATA_FILE, openEnvironment } from './environment.js';
import { failure } from './failure.js';
import { readAll } from './read-all.js';
import { type Commit, type Committed, type Reading, type Store, StoreUnavailable } from '../port.js';
import { removeUnfinished } from './unfinished.js';
import { openRevisions } from '../revisions.js';
import { watchWrites } from '../write-watch.js';

export interface LmdbOptions {
  /** Created if it is missing. */
  readonly folder: string;
  /** Maximum time for the disk to confirm a commit, ms; 10,000 if absent. */
  readonly timeoutMs?: number;
}

/**
 * Opens the embedded store. Rejects with a `StartError` that names the folder and the process that has it open; the
 * folder is free once that process has ended, in whatever way.
 */
export async function openLmdb(options: LmdbOptions): Promise<Store> {
  const { folder, timeoutMs = 10_000 } = options;
  await makeFolder(folder);
  const lock = await lockFolder(folder);
  try {
    await removeUnfinished(folder);
    return await storeIn(folder, timeoutMs, () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function storeIn(folder: string, timeoutMs: number, release: () => Promise<void>): Promise<Store> {
  const { environment, tables } = await openEnvironment(folder);
  const isPresent = tables.numbers.get(FORMAT) === String(STORE_FORMAT.lmdb);
  if (!isPresent) await countAll(tables);
  const readings = new Set<Reading>();
  const moments = new Moments(environment, tables, join(folder, DATA_FILE));
  let closing: Promise<void> | undefined;
  let overdue = 0;

  const refuseClosed = (): void => {
    if (closing !== undefined) throw new StoreUnavailable(`The store in ${folder} is closed`);
  };

  /** Runs work of an open store; every error becomes a `StoreUnavailable`. */
  const run = async <T>(work: () => T | Promise<T>): Promise<T> => {
    refuseClosed();
    try {
      return await work();
    } catch (error) {
      throw await failure(`The store in ${folder} failed`, folder, error);
    }
  };

  /** Bounds the time of a commit: after some faults of a disk lmdb never settles it, and queues all others after it. */
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        overdue += 1;
        reject(new StoreUnavailable(`The disk of ${folder} did not confirm a commit in ${timeoutMs} ms`));
      }, timeoutMs);
      void work.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        if (late) overdue -= 1;
      });
    });

  /** Runs a write, unless the disk is known to confirm nothing. */
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    refuseClosed();
    if (overdue > 0) throw new StoreUnavailable(`The disk of ${folder} does not confirm commits`);
    return inTime(run(work));
  };

  const writes = watchWrites(async (characters) => {
    try {
      await write(() => tables.numbers.put(TRIAL, ' '.repeat(characters)));
    } finally {
      await write(() => tables.numbers.remove(TRIAL));
    }
  });
  let last: Promise<unknown> = Promise.resolve();
  /** Commits after the commit before. Resolves once both can be read: who reads then is not given an earlier moment. */
  const written = (storable: readonly Commit[]): Promise<Committed[]> => {
    const results = last.then(() => commit(tables, storable)).finally(() => moments.written());
    last = results.catch(() => undefined);
    return results;
  };
  const numbers = reserveIn(tables);
  // Both in one transaction.
  const [revisions] = await Promise.all([
    openRevisions((count, above) => write(() => numbers(count, above))),
    !isPresent && write(() => tables.numbers.put(FORMAT, String(STORE_FORMAT.lmdb))),
  ]);

  return {
    shared: false,
    // lmdb writes one transaction at a time; a second call would add a wait for the disk.
    atOnce: 1,
    nextRevision: (current) => revisions.next(current),
    load: (id) => run(() => load(tables, id)),
    commit: (batch) =>
      writes.commit(batch, () => commitStorable(batch, (storable) => write(() => written(storable)))),
    hold: () => moments.hold(),
    list: (query) => run(() => list(moments.at(query.moment), query)),
    outline: (query) => run(() => outline(tables, query)),
    tally: (query) => run(() => tally(tables, query)),
    ordered: (query) => run(() => ordered(moments.at(query.moment), query)),
    readAll: () =>
      run(() => {
        const reading = readAll(environment, tables, join(folder, DATA_FILE));
        readings.add(reading);
        const close = (): void => {
          readings.delete(reading);
          reading.close();
        };
        return { ...reading, close };
      }),
    kinds: () => run(() => kinds(tables)),
    count: (query) => run(() => count(tables, query)),
    due: (now, limit) => run(() => due(tables, now, limit)),
    queues: (after, limit) => run(() => queues(tables, after, limit)),
    queued: (queue, from, limit) => run(() => queued(tables, queue, from, limit)),
    keepTime: (at) => write(() => keepTime(tables, at)),
    keptTime: () => run(() => keptTime(tables)),
    async ping() {
      refuseClosed();
      if (overdue > 0) throw new StoreUnavailable(`The disk of ${folder} does not confirm commits`);
      await writes.check();
    },
    close() {
      moments.close();
      for (const reading of readings) reading.close();
      // A disk that confirms nothing would block this for ever; the lock then stays until the process ends.
      closing ??= overdue > 0 ? Promise.resolve() : environment.close().then(release);
      return closing;
    },
  };
}
