import type { OutboxEntry } from './kind.js';

/** The entries of one actor's outbox that are being performed on this node, each once at a time. */
export class Performing {
  #ids: Set<string> | undefined;

  /** True where none is. */
  get idle(): boolean {
    return !this.#ids?.size;
  }

  /**
   * Performs what is new in an outbox since `before`, and where its actor was `woken` the rest of it once more. `perform`
   * is told whether an entry may have been begun already; it never rejects.
   */
  start(
    outbox: readonly OutboxEntry[],
    before: readonly OutboxEntry[],
    woken: boolean,
    perform: (entry: OutboxEntry, repeated: boolean) => Promise<void>,
  ): void {
    const known = new Set(before);
    const performing = (this.#ids ??= new Set());
    for (const entry of outbox) {
      const repeated = known.has(entry);
      if ((repeated && !woken) || performing.has(entry.id)) continue;
      performing.add(entry.id);
      void perform(entry, repeated).finally(() => performing.delete(entry.id));
    }
  }
}
