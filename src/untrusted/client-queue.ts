/** A task in a queue. */
export interface Queued {
  /** The client: its address, or the tenant where these share. Tasks without one share no limit and no turn. */
  readonly client: string | undefined;
  readonly bytes: number;
}

/** Maximum number of clients whose last turn is known. */
const REMEMBERED = 10_000;

/**
 * A queue with a limit in bytes, shared by clients. A client may have as many bytes waiting as are free. The
 * client served longest ago is served next, so a client with many tasks delays only itself.
 */
export class ClientQueue<T extends Queued> {
  private waiting: T[] = [];
  /** The number of each waiting client's last turn. */
  private readonly lastTurn = new Map<string | undefined, number>();
  private turns = 0;

  constructor(private readonly maxBytes: number) {}

  /** Adds a task. Returns false if it has no room; an empty queue takes a task of any size. */
  add(task: T): boolean {
    let all = 0;
    let own = 0;
    for (const { client, bytes } of this.waiting) {
      all += bytes;
      if (client !== undefined && client === task.client) own += bytes;
    }
    if (this.waiting.length > 0 && own + task.bytes > this.maxBytes - all) return false;
    this.waiting.push(task);
    return true;
  }

  /** Removes and returns the oldest task of the client served longest ago. undefined if the queue is empty. */
  take(): T | undefined {
    let best = 0;
    let earliest = Infinity;
    for (const [i, { client }] of this.waiting.entries()) {
      const turn = this.lastTurn.get(client) ?? 0;
      if (turn >= earliest) continue;
      earliest = turn;
      best = i;
    }
    const [task] = this.waiting.splice(best, 1);
    if (task === undefined || this.lastTurn.size >= REMEMBERED) this.lastTurn.clear();
    if (task !== undefined) this.lastTurn.set(task.client, (this.turns += 1));
    return task;
  }

  /** Removes and returns all tasks. */
  drain(): readonly T[] {
    const all = this.waiting;
    this.waiting = [];
    return all;
  }
}
