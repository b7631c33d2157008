import type { ActorEvent, OutboxEntry } from './kind.js';

/** The event of an effect that has no other result: the machine removes the entry. */
export interface PerformedEvent extends ActorEvent {
  readonly type: 'performed';
  readonly entryId: string;
}

/** Returns the `performed` event of an entry; `now` is in ms since the epoch. */
export function performed({ id }: OutboxEntry, now: number): PerformedEvent {
  return { type: 'performed', now, entryId: id };
}

/** Returns the change of a context that removes the entry of a `performed` event; an unknown entry changes nothing. */
export function removePerformed<E extends OutboxEntry>(
  { outbox }: { readonly outbox: readonly E[] },
  { entryId }: { readonly entryId: string },
): { outbox: readonly E[] } {
  return { outbox: outbox.filter(({ id }) => id !== entryId) };
}

/** The effects of one actor that run on this node: at most one for each outbox entry. */
export class RunningEffects {
  #ids: Set<string> | undefined;

  /** True if none runs. */
  get none(): boolean {
    return !this.#ids?.size;
  }

  /**
   * Runs the effects of the entries that are not in `before`, the outbox as committed earlier; with `retry`, those of
   * all entries. `run` gets true if an earlier run of the same entry may have begun; it never rejects.
   */
  start(
    outbox: readonly OutboxEntry[],
    before: readonly OutboxEntry[],
    retry: boolean,
    run: (entry: OutboxEntry, repeated: boolean) => Promise<void>,
  ): void {
    const known = new Set(before);
    const running = (this.#ids ??= new Set());
    for (const entry of outbox) {
      const repeated = known.has(entry);
      if ((repeated && !retry) || running.has(entry.id)) continue;
      running.add(entry.id);
      void run(entry, repeated).finally(() => running.delete(entry.id));
    }
  }
}
