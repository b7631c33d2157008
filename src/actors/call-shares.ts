import { lineOf, WeightedQueue } from './weighted-queue.js';

/** A line with more waiting items than this does not share a call with those that have fewer. */
const FEW = 8;
const NONE: ReadonlySet<string> = new Set();

/** The items of one call. */
export interface Share<T> {
  readonly items: readonly T[];
  /** The lines that they are of: see `lineOf`. */
  readonly lines: ReadonlySet<string>;
  /** True if the lines had many. */
  readonly isOfMany: boolean;
}

/**
 * The items that wait for calls, in a line for each kind and tenant. In some stores a call takes as long as its items one after the
 * other, so a line with few waiting items shares no call with lines that have many. Both have calls in turns. If all calls run, and
 * one of them has lines with many, the lines with few have one more call beside them.
 */
export class CallShares<T> {
  readonly #queue = new WeightedQueue<T>();
  readonly #running = new Set<Share<T>>();
  /** The one call beside the others; undefined: it does not run. */
  #beside: Share<T> | undefined;
  #fewWereLast = false;

  /** `others`: returns by line how many items wait for calls of their own; they count as well. */
  constructor(private readonly others: () => ReadonlyMap<string, number>) {}

  get size(): number {
    return this.#queue.size;
  }

  /** Returns the waiting items of one kind. */
  sizeOf(kind: string): number {
    return this.#queue.sizeOf(kind);
  }

  /** Adds an item: see `WeightedQueue.push`. */
  push(kind: string, tenant: string, weight: number, item: T): void {
    this.#queue.push(kind, tenant, weight, item);
  }

  /** Removes and returns up to `limit` items for a call that is free. Without `apart`, lines with few and many share it. */
  next(limit: number, apart: boolean): Share<T> {
    if (!apart) return { items: this.#queue.take(limit), lines: NONE, isOfMany: false };
    const { few, many } = this.#lines();
    // All of them: a test of each line would take longer.
    if (few.size === 0) return { items: this.#queue.take(limit), lines: many, isOfMany: many.size > 0 };
    if (many.size === 0) return { items: this.#queue.take(limit), lines: few, isOfMany: false };
    this.#fewWereLast = !this.#fewWereLast;
    return this.#fewWereLast ? this.#take(limit, few, false) : this.#take(limit, many, true);
  }

  /** True while the call beside the others runs. */
  get besideRuns(): boolean {
    return this.#beside !== undefined;
  }

  /** True if a line with few items can have the call beside those that run. */
  fitsBeside(kind: string, tenant: string): boolean {
    return this.#isBesideFree() && !this.#runs(lineOf(kind, tenant));
  }

  /**
   * Removes and returns up to `limit` items for the one call beside those that run: of lines with few, which no call that runs has.
   * There are none unless a call with many runs.
   */
  nextBeside(limit: number): Share<T> {
    if (!this.#isBesideFree()) return { items: [], lines: NONE, isOfMany: false };
    const { few } = this.#lines();
    for (const line of few) if (this.#runs(line)) few.delete(line);
    const share = this.#take(limit, few, false);
    if (share.items.length > 0) this.#beside = share;
    return share;
  }

  /** The call has begun. */
  begin(share: Share<T>): void {
    this.#running.add(share);
  }

  /** The call has ended. */
  end(share: Share<T>): void {
    this.#running.delete(share);
    if (share === this.#beside) this.#beside = undefined;
  }

  #isBesideFree(): boolean {
    return !this.besideRuns && [...this.#running].some(({ isOfMany }) => isOfMany);
  }

  #runs(line: string): boolean {
    return [...this.#running].some(({ lines }) => lines.has(line));
  }

  #take(limit: number, lines: ReadonlySet<string>, isOfMany: boolean): Share<T> {
    return { items: this.#queue.take(limit, lines), lines, isOfMany };
  }

  #lines(): { readonly few: Set<string>; readonly many: Set<string> } {
    const [few, many] = [new Set<string>(), new Set<string>()];
    const others = this.others();
    for (const [line, size] of this.#queue.sizes())
      (size + (others.get(line) ?? 0) > FEW ? many : few).add(line);
    return { few, many };
  }
}
