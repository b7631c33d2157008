/** What waits of one kind. */
interface Lane<T> {
  readonly weight: number;
  items: T[];
  /** The items before it have been taken. */
  head: number;
}

/**
 * Items that wait, each kind in a lane of its own: in order of arrival within a kind, and of each kind a share of what
 * is taken at a time, by weight, so that none waits for another to end.
 */
export class Lanes<T> {
  readonly #lanes = new Map<string, Lane<T>>();
  #size = 0;
  #turn = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** How many of a kind wait. */
  sizeOf(kind: string): number {
    const lane = this.#lanes.get(kind);
    return lane === undefined ? 0 : lane.items.length - lane.head;
  }

  /** Puts an item behind those of its kind; the weight is that of the kind's first one. */
  push(kind: string, weight: number, item: T): void {
    let lane = this.#lanes.get(kind);
    if (lane === undefined) {
      lane = { weight, items: [], head: 0 };
      this.#lanes.set(kind, lane);
    }
    lane.items.push(item);
    this.#size += 1;
  }

  /**
   * Takes `most` items at most, those of heavier kinds first. Where more wait, each kind gets its share by weight, and
   * one item at least as long as there is room; what a kind does not need goes to the others. The kind that comes first
   * among equals changes from call to call.
   */
  take(most: number): T[] {
    const waiting = [...this.#lanes.values()].filter(({ items, head }) => items.length > head);
    if (waiting.length > 1) this.#order(waiting);
    const taken: T[] = [];
    if (this.#size > most && waiting.length > 1) {
      const total = waiting.reduce((sum, { weight }) => sum + weight, 0);
      for (const lane of waiting) {
        const share = Math.max(1, Math.floor((most * lane.weight) / total));
        takeFrom(lane, Math.min(share, most - taken.length), taken);
      }
    }
    for (const lane of waiting) takeFrom(lane, most - taken.length, taken);
    this.#size -= taken.length;
    return taken;
  }

  #order(waiting: Lane<T>[]): void {
    this.#turn = (this.#turn + 1) % waiting.length;
    waiting.push(...waiting.splice(0, this.#turn));
    waiting.sort((a, b) => b.weight - a.weight);
  }
}

function takeFrom<T>(lane: Lane<T>, most: number, to: T[]): void {
  const end = Math.min(lane.items.length, lane.head + most);
  for (; lane.head < end; lane.head += 1) to.push(lane.items[lane.head]!);
  // What was taken is let go of once it is most of the list: each item is moved once at most, on average.
  if (lane.head * 2 < lane.items.length) return;
  lane.items = lane.items.slice(lane.head);
  lane.head = 0;
}
