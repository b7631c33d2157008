/** What waits in a queue, and for whom. */
export interface Queued {
  /** The client address; undefined where none is known, which nobody shares with. */
  readonly client: string | undefined;
  readonly bytes: number;
}

/** Clients whose turns are remembered at most. */
const REMEMBERED = 10_000;

/**
 * A queue bounded in bytes that client addresses share: each may have as much waiting as is free, and who was served
 * longest ago is served next, so that a client with many waits for itself.
 */
export class FairQueue<T extends Queued> {
  private waiting: T[] = [];
  /** When clients who wait were served last, by a count. */
  private readonly served = new Map<string | undefined, number>();
  private count = 0;

  constructor(private readonly mostBytes: number) {}

  /** Adds one, where there is room; one waits whatever its size. */
  add(task: T): boolean {
    let all = 0;
    let own = 0;
    for (const { client, bytes } of this.waiting) {
      all += bytes;
      if (client !== undefined && client === task.client) own += bytes;
    }
    if (this.waiting.length > 0 && own + task.bytes > this.mostBytes - all) return false;
    this.waiting.push(task);
    return true;
  }

  /** Takes out the oldest of the client that was served longest ago. */
  take(): T | undefined {
    let best = 0;
    let since = Infinity;
    for (const [i, { client }] of this.waiting.entries()) {
      const served = this.served.get(client) ?? 0;
      if (served >= since) continue;
      since = served;
      best = i;
    }
    const [task] = this.waiting.splice(best, 1);
    if (task === undefined || this.served.size >= REMEMBERED) this.served.clear();
    if (task !== undefined) this.served.set(task.client, (this.count += 1));
    return task;
  }

  /** Takes out all. */
  empty(): readonly T[] {
    const all = this.waiting;
    this.waiting = [];
    return all;
  }
}
