import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Database, RootDatabase } from 'lmdb';
import type { Tables } from './tables.js';

/** Moments that are held at once, and how long after their last use, and in all, ms. */
const HELD = { most: 32, unusedMs: 15_000, longestMs: 120_000 };
/** Growth of the file after which no moment is held, bytes: pages that a moment needs are not used again. */
const GROWTH = 64 * 1024 * 1024;
/** Interval of the checks while a moment is held, ms. */
const CHECK_MS = 250;

interface Moment {
  readonly id: string;
  readonly tables: Tables;
  readonly release: () => void;
  readonly heldAt: number;
  usedAt: number;
}

/** The moments of an environment at which its tables can still be read. `file`: that of its data. */
export class Moments {
  readonly #held = new Map<string, Moment>();
  /** Id of the newest moment, until something is written after it. */
  #present: string | undefined;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly environment: RootDatabase,
    private readonly tables: Tables,
    private readonly file: string,
  ) {}

  /** Holds the present moment for a while. Returns its id. */
  hold(): string {
    const now = performance.now();
    const present = this.#present === undefined ? undefined : this.#held.get(this.#present);
    if (present !== undefined && now - present.heldAt < HELD.unusedMs) return present.id;
    if (this.#held.size >= HELD.most) this.#release(this.#held.values().next().value!);
    this.environment.resetReadTxn();
    const transaction = this.environment.useReadTransaction();
    const id = randomUUID();
    const tables = tablesAt(this.tables, transaction);
    if (this.#held.size === 0) this.#size = statSync(this.file).size;
    this.#held.set(id, { id, tables, release: () => transaction.done(), heldAt: now, usedAt: now });
    this.#present = id;
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
    return id;
  }

  /** Called after each write: the newest moment is not the present one any more. */
  written(): void {
    this.#present = undefined;
  }

  /** Returns the tables as they were at a moment; as they are now if it is not held, or not given. */
  at(id: string | undefined): Tables {
    const moment = id === undefined ? undefined : this.#held.get(id);
    if (moment === undefined) return this.tables;
    moment.usedAt = performance.now();
    return moment.tables;
  }

  /** Releases all moments. */
  close(): void {
    for (const moment of this.#held.values()) this.#release(moment);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    const now = performance.now();
    for (const moment of this.#held.values()) {
      const { usedAt, heldAt } = moment;
      if (now - usedAt > HELD.unusedMs || now - heldAt > HELD.longestMs) this.#release(moment);
    }
    if (this.#held.size === 0 || statSync(this.file).size - this.#size > GROWTH) this.close();
  }

  #release(moment: Moment): void {
    this.#held.delete(moment.id);
    moment.release();
  }
}

type Transaction = ReturnType<RootDatabase['useReadTransaction']>;
type Table = Database<string, string>;

/** Returns tables of which those that readers use are read in a transaction. */
export function tablesAt(tables: Tables, transaction: Transaction): Tables {
  const at = (table: Table): Table =>
    ({
      get: (id: string) => table.get(id, { transaction }),
      getEntry: (id: string) => table.getEntry(id, { transaction }),
      getKeys: (range: object) => table.getKeys({ ...range, transaction }),
    }) as unknown as Table;
  const { frequent, rare, long, states, orders, unindexed, places, numbers } = tables;
  return {
    ...tables,
    frequent: at(frequent),
    rare: at(rare),
    long: at(long),
    states: at(states),
    orders: at(orders),
    unindexed: at(unindexed),
    places: at(places),
    numbers: at(numbers),
  };
}
