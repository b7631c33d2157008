/** Somebody who waits for a turn. */
export interface Turn<T> {
  readonly of: T;
  /** How many are under way. */
  readonly count: number;
  /** Ordinal of when it was served last. */
  readonly served: number;
}

/** Gives turns to whoever has the fewest under way, of those to who has waited longest: a heap. */
export class Turns<T> {
  readonly #heap: Turn<T>[];

  constructor(turns: Turn<T>[]) {
    this.#heap = turns;
    for (let at = (turns.length >> 1) - 1; at >= 0; at -= 1) this.#sink(at);
  }

  /** Takes out whose turn it is. */
  take(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length > 0) {
      heap[0] = last!;
      this.#sink(0);
    }
    return first?.of;
  }

  put(turn: Turn<T>): void {
    const heap = this.#heap;
    let at = heap.push(turn) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(turn, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = turn;
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const turn = heap[from]!;
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (!isBefore(heap[below]!, turn)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = turn;
  }
}

function isBefore(a: Turn<unknown>, b: Turn<unknown>): boolean {
  return a.count < b.count || (a.count === b.count && a.served < b.served);
}
