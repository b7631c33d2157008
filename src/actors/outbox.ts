import type { ActorEvent, OutboxEntry } from './kind.js';

/** The event of an effect that has no other result: the machine removes the entry. */
export interface PerformedEvent extends ActorEvent {
  readonly type: 'performed';
  readonly entryId: string;
  /** Absent: all entries of the id. */
  readonly serial?: number | undefined;
}

/** Returns the `performed` event of an entry; `now` is in ms since the epoch. */
export function performed({ id, serial }: OutboxEntry, now: number): PerformedEvent {
  return { type: 'performed', now, entryId: id, serial };
}

/** Returns the change of a context that removes the entry of a `performed` event; an unknown entry changes nothing. */
export function removePerformed<E extends OutboxEntry>(
  { outbox }: { readonly outbox: readonly E[] },
  event: Pick<PerformedEvent, 'entryId' | 'serial'>,
): { outbox: readonly E[] } {
  const { entryId, serial } = event;
  return {
    outbox: outbox.filter((entry) => entry.id !== entryId || (serial ?? entry.serial) !== entry.serial),
  };
}

/** Returns an outbox without the entries of an id. */
export function without<E extends OutboxEntry>(outbox: readonly E[], entryId: string): readonly E[] {
  return outbox.filter(({ id }) => id !== entryId);
}

/** Gives a serial to the entries without one. The entries of a decision are its own, so it changes them in place. */
export function giveSerials(outbox: readonly OutboxEntry[], nextSerial: () => number): void {
  for (const entry of outbox) {
    if (entry.serial === undefined) (entry as { serial?: number }).serial = nextSerial();
  }
}

/** True for one entry, or copies of it. */
export function isSameEntry(a: OutboxEntry, b: OutboxEntry): boolean {
  return a.id === b.id && a.serial === b.serial;
}

/** True if an outbox has an entry of the same id in place of this one. */
export function isReplaced(outbox: readonly OutboxEntry[], entry: OutboxEntry): boolean {
  let replaced = false;
  for (const one of outbox) {
    if (isSameEntry(one, entry)) return false;
    if (one.id === entry.id) replaced = true;
  }
  return replaced;
}

/** The effects of one actor that run on this node: at most one for each id, and each for one entry. */
export class RunningEffects {
  /** By id. */
  #running: Map<string, Running> | undefined;

  /** True if none runs. */
  get none(): boolean {
    return !this.#running?.size;
  }

  /**
   * Runs the effects of the entries that are not in `before`, the outbox as committed earlier; with `retry`, those of all
   * entries. An entry whose id runs for an earlier entry waits for the end of that run. `run` never rejects. It gets true
   * for `repeated` if an earlier run of the same entry may have begun, and for `late` if the entry waited and may have left
   * the outbox.
   */
  start(
    outbox: readonly OutboxEntry[],
    before: readonly OutboxEntry[],
    retry: boolean,
    run: (entry: OutboxEntry, repeated: boolean, late: boolean) => Promise<void>,
  ): void {
    const known = new Set(before);
    for (const entry of outbox) {
      const repeated = known.has(entry);
      if (repeated && !retry) continue;
      const running = this.#running?.get(entry.id);
      if (running === undefined) this.#run(entry, () => run(entry, repeated, false));
      else if (running.serial !== entry.serial)
        running.next = () => this.#run(entry, () => run(entry, repeated, true));
    }
  }

  #run({ id, serial }: OutboxEntry, run: () => Promise<void>): void {
    const all = (this.#running ??= new Map<string, Running>());
    const running: Running = { serial, next: undefined };
    all.set(id, running);
    void run().finally(() => {
      all.delete(id);
      running.next?.();
    });
  }
}

/** The run of an effect. */
interface Running {
  /** Of the entry. */
  readonly serial: number | undefined;
  /** Starts the effect of a later entry with the same id. */
  next: (() => void) | undefined;
}
