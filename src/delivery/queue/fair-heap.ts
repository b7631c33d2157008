/** A candidate for the next permit. */
export interface Candidate<T> {
  readonly value: T;
  /** Its attempts in flight. */
  readonly inFlight: number;
  /** Ordinal of the moment when it was last served. */
  readonly served: number;
}

/** A binary heap of candidates: first the one with the fewest attempts in flight, of equals the one served least recently. */
export class FairHeap<T> {
  readonly #heap: Candidate<T>[];

  /** Takes the array over and reorders it. */
  constructor(candidates: Candidate<T>[]) {
    this.#heap = candidates;
    for (let at = (candidates.length >> 1) - 1; at >= 0; at -= 1) this.#siftDown(at);
  }

  /** Removes and returns the first candidate's value; undefined if the heap is empty. */
  pop(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length > 0) {
      heap[0] = last!;
      this.#siftDown(0);
    }
    return first?.value;
  }

  push(candidate: Candidate<T>): void {
    const heap = this.#heap;
    let at = heap.push(candidate) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(candidate, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = candidate;
  }

  #siftDown(from: number): void {
    const heap = this.#heap;
    const candidate = heap[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, candidate)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = candidate;
  }
}

function isBefore(a: Candidate<unknown>, b: Candidate<unknown>): boolean {
  return a.inFlight < b.inFlight || (a.inFlight === b.inFlight && a.served < b.served);
}
