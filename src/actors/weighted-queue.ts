/** The items of one line. */
interface Line<T> {
  readonly weight: number;
  items: T[];
  /** Index of the first item that is still in the queue. */
  head: number;
}

/** The lines of one kind. */
interface Kind<T> {
  readonly lines: Map<string, Line<T>>;
  size: number;
}

/** Returns the key of a line outside of the queue. */
export function lineOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}

/**
 * A queue that shares out what is taken at a time among lines of items, by weight: no line waits for another to end.
 * Items of one line are in order of arrival. A line has a kind and a name, each a key of its own: a key of both would be a
 * new text for each item.
 */
export class WeightedQueue<T> {
  readonly #kinds = new Map<string, Kind<T>>();
  #size = 0;
  #turn = 0;

  /** Items in the queue. */
  get size(): number {
    return this.#size;
  }

  /** Returns the items in the queue of one kind. */
  sizeOf(kind: string): number {
    return this.#kinds.get(kind)?.size ?? 0;
  }

  /** Returns the number of items by line: see `lineOf`. */
  sizes(): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const [kind, { lines }] of this.#kinds) {
      for (const [name, { items, head }] of lines) sizes.set(lineOf(kind, name), items.length - head);
    }
    return sizes;
  }

  /** Adds an item. A line has the weight of its first item. */
  push(kind: string, name: string, weight: number, item: T): void {
    let ofKind = this.#kinds.get(kind);
    if (ofKind === undefined) this.#kinds.set(kind, (ofKind = { lines: new Map(), size: 0 }));
    let line = ofKind.lines.get(name);
    if (line === undefined) ofKind.lines.set(name, (line = { weight, items: [], head: 0 }));
    line.items.push(item);
    ofKind.size += 1;
    this.#size += 1;
  }

  /**
   * Removes and returns up to `limit` items, those of heavier lines first. If more wait, each line gets its share by
   * weight, and at least one item while there is room; what a line does not need goes to the others. Lines of equal
   * weight take turns in coming first. `only`: of these lines; default: of all.
   */
  take(limit: number, only?: ReadonlySet<string>): T[] {
    const waiting: Line<T>[] = [];
    for (const [kind, { lines }] of this.#kinds) {
      for (const [name, line] of lines) {
        if (only === undefined || only.has(lineOf(kind, name))) waiting.push(line);
      }
    }
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
    for (const kind of this.#kinds.values()) removeEmpty(kind);
    this.#size -= items.length;
    return items;
  }

  #order(waiting: Line<T>[]): void {
    this.#turn = (this.#turn + 1) % waiting.length;
    waiting.push(...waiting.splice(0, this.#turn));
    waiting.sort((a, b) => b.weight - a.weight);
  }
}

/** Removes the lines without items, and counts the items of the others. */
function removeEmpty<T>(kind: Kind<T>): void {
  kind.size = 0;
  for (const [name, { items, head }] of kind.lines) {
    if (items.length === head) kind.lines.delete(name);
    else kind.size += items.length - head;
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
