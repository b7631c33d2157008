import { mkdir } from 'node:fs/promises';
import { open } from 'lmdb';
import { checkCommit } from './check-commit.js';
import { lockFolder } from './folder-lock.js';
import { idRange } from './id-range.js';
import { change } from './lmdb-change.js';
import { decodeHot, idOfWakeKey, openTables, stateKey, wakeKey } from './lmdb-tables.js';
import type { Tables } from './lmdb-tables.js';
import { StoreUnavailable } from './port.js';
import type { Commit, Listed, ListQuery, Outcome, Store, Stored } from './port.js';

/**
 * Opens the embedded store in a folder, which is made where it is missing. Throws an `Error` that names the folder
 * and who has it open, where some process has; the folder is free again once that process is gone, however it ended.
 */
export async function openLmdb(options: { readonly folder: string }): Promise<Store> {
  const { folder } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(folder);
  try {
    return storeOf(folder, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function storeOf(folder: string, lock: { release(): Promise<void> }): Store {
  // With overlappingSync a transaction could be read before it is on the disk, and what was read could be lost.
  const environment = open({ path: folder, noSubdir: false, overlappingSync: false });
  const tables = openTables(environment);
  let closing: Promise<void> | undefined;

  /** Runs what touches the database; whatever goes wrong in there is the database's fault. */
  const use = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (closing !== undefined) throw new StoreUnavailable(`The store in ${folder} is closed`);
    try {
      return await work();
    } catch (error) {
      throw new StoreUnavailable(`The store in ${folder} failed: ${await reasonOf(error)}`, { cause: error });
    }
  };

  return {
    shared: false,
    load: (id) => use(() => load(tables, id)),
    async commit(batch) {
      for (const item of batch) checkCommit(item);
      return use(() => commit(tables, batch));
    },
    list: (query) => use(() => list(tables, query)),
    due: (now, limit) => use(() => due(tables, now, limit)),
    ping: () => use(() => void tables.hot.doesExist('ping')),
    close() {
      closing ??= environment.close().then(() => lock.release());
      return closing;
    },
  };
}

async function commit(tables: Tables, batch: readonly Commit[]): Promise<Outcome[]> {
  const done = await Promise.all(batch.map((item) => change(tables, item)));
  return done.map((won) => (won ? 'won' : 'lost'));
}

function load(tables: Tables, id: string): Stored | undefined {
  const entry = tables.hot.getEntry(id);
  return entry === undefined ? undefined : decodeHot(entry.value, entry.version!, tables.cold.get(id) ?? '');
}

function list(tables: Tables, query: ListQuery): Listed[] {
  const found: Listed[] = [];
  for (const id of listedIds(tables, query)) {
    const document = load(tables, id);
    if (document !== undefined) found.push({ ...document, id });
  }
  return found;
}

function listedIds(tables: Tables, query: ListQuery): string[] {
  const { start, end } = idRange(query);
  const { state, limit } = query;
  if (state === undefined) return [...tables.hot.getKeys({ start, end, limit })];
  const keys = tables.states.getKeys({ start: stateKey(state, start), end: stateKey(state, end), limit });
  return [...keys].map((key) => key.slice(state.length + 1));
}

function due(tables: Tables, now: number, limit: number): string[] {
  const keys = tables.wakes.getKeys({ start: wakeKey(0), end: wakeKey(Math.floor(now) + 1), limit });
  return [...keys].map(idOfWakeKey);
}

/** lmdb tells why a transaction failed in a promise beside the error, which ends the process when nobody looks at it. */
async function reasonOf(error: unknown): Promise<string> {
  const { commitError, message } = error as Error & { commitError?: Promise<never> };
  if (commitError === undefined) return message;
  return commitError.catch((reason: unknown) => (reason as Error).message);
}
