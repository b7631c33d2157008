/** The items of one line. */
interface Line<T> {
  readonly weight: number;
  items: T[];
  /** Index of the first item that is still in the queue. */
  head: number;
}

/**
 * A queue that shares out what is taken at a time among lines of items, by weight: no line waits for another to end.
 * Items of one line are in order of arrival.
 */
export class WeightedQueue<T> {
  readonly #lines = new Map<string, Line<T>>();
  #size = 0;
  #turn = 0;

  /** Items in the queue. */
  get size(): number {
    return this.#size;
  }

  /** Adds an item. A line has the weight of its first item. */
  push(name: string, weight: number, item: T): void {
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = { weight, items: [], head: 0 };
      this.#lines.set(name, line);
    }
    line.items.push(item);
    this.#size += 1;
  }

  /**
   * Removes and returns up to `limit` items, those of heavier lines first. If more wait, each line gets its share by
   * weight, and at least one item while there is room; what a line does not need goes to the others. Lines of equal
   * weight take turns in coming first.
   */
  take(limit: number): T[] {
    const waiting = [...this.#lines.values()];
    if (waiting.length > 1) this.#order(waiting);
    const items: T[] = [];
    if (this.#size > limit && waiting.length > 1) {
      const total = waiting.reduce((sum, { weight }) => sum + weight, 0);
      for (const line of waiting) {
        const share = Math.max(1, Math.floor((limit * line.weight) / total));
        moveItems(line, Math.min(share, limit - items.length), items);
      }
    }
    for (const line of waiting) moveItems(line, limit - items.length, items);
    for (const [name, { items, head }] of this.#lines) if (items.length === head) this.#lines.delete(name);
    this.#size -= items.length;
    return items;
  }

  #order(waiting: Line<T>[]): void {
    this.#turn = (this.#turn + 1) % waiting.length;
    waiting.push(...waiting.splice(0, this.#turn));
    waiting.sort((a, b) => b.weight - a.weight);
  }
}

function moveItems<T>(line: Line<T>, limit: number, to: T[]): void {
  const end = Math.min(line.items.length, line.head + limit);
  for (; line.head < end; line.head += 1) to.push(line.items[line.head]!);
  // The list is cut once most of it has been taken: that copies each item at most once on average.
  if (line.head * 2 < line.items.length) return;
  line.items = line.items.slice(line.head);
  line.head = 0;
}
