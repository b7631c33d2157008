import { lineOfMessageId } from '../message-id.js';
import type { Queued, Store } from '../../store/port.js';

/**
 * On a shared store a node reads this many times the wanted number, and picks at random among the lines of messages, such
 * as subscriptions: nodes seldom pick the same, and the messages of one line keep their order.
 */
const CHOICE = 4;

/** Deliveries of a queue that a scan leaves out, by id. */
export type Excluded = ReadonlyMap<string, unknown>;

/** Returns the scan that finds deliveries to try in a store's queues. `random` is uniform in [0, 1). */
export function createQueueScan(store: Pick<Store, 'queued' | 'shared'>, random: () => number) {
  /** By queue: deliveries that were tried, and the time up to which all of the queue were. */
  const tried = new Map<string, { upTo: number; readonly ids: Set<string> }>();

  const triedOf = (queue: string) => {
    const known = tried.get(queue) ?? { upTo: 0, ids: new Set<string>() };
    tried.set(queue, known);
    return known;
  };

  const choose = (from: readonly Queued[], wanted: number): readonly Queued[] => {
    if (!store.shared) return from.slice(0, wanted);
    const lines = new Map<string, Queued[]>();
    for (const one of from.slice(0, wanted * CHOICE)) {
      const line = lineOfMessageId(one.id);
      lines.set(line, [...(lines.get(line) ?? []), one]);
    }
    const choice = [...lines.values()];
    const chosen: Queued[] = [];
    while (chosen.length < wanted && choice.length > 0) {
      const at = Math.floor(random() * choice.length);
      chosen.push(choice[at]!.shift()!);
      if (choice[at]!.length === 0) choice.splice(at, 1);
    }
    return chosen;
  };

  const findEarly = async (
    queue: string,
    wanted: number,
    excluded: Excluded,
    due: readonly Queued[],
  ): Promise<{ readonly early: readonly Queued[]; readonly exhausted: boolean }> => {
    const known = triedOf(queue);
    for (const { id } of due) known.ids.add(id);
    const left = wanted - due.length;
    if (left === 0) return { early: [], exhausted: false };
    const limit = wanted + excluded.size + 1;
    const waiting = await store.queued(queue, known.upTo, limit);
    const open = waiting.filter(({ id }) => !excluded.has(id) && !known.ids.has(id));
    const early = open.slice(0, left);
    for (const { id } of early) known.ids.add(id);
    const last = open.length > left ? early.at(-1) : waiting.at(-1);
    // The extra 1 ms passes over a full page of one time whose deliveries were all tried.
    known.upTo = Math.max(known.upTo + (early.length === 0 ? 1 : 0), last?.wakeAt ?? 0);
    return { early, exhausted: waiting.length < limit && open.length <= left };
  };

  return {
    /**
     * Returns up to `wanted` deliveries of a queue that are due at `now`, and when the next of the others is due, ms since the
     * epoch; Infinity if none waits. With `early`, deliveries that are not due fill up the number, each once after a start:
     * `exhausted` is true if none is left to try early. The cost follows `wanted` and `excluded`, not the length of the queue.
     */
    async find(queue: string, wanted: number, excluded: Excluded, now: number, early: boolean) {
      const limit = wanted * (store.shared ? CHOICE : 1) + excluded.size + 1;
      const head = await store.queued(queue, 0, limit);
      const open = head.filter(({ id }) => !excluded.has(id));
      const due = choose(
        open.filter(({ wakeAt }) => wakeAt <= now),
        wanted,
      );
      const more = early ? await findEarly(queue, wanted, excluded, due) : { early: [], exhausted: true };
      const ids = new Set([...due, ...more.early].map(({ id }) => id));
      const rest = open.find(({ id }) => !ids.has(id));
      const beyond = head.length === limit ? head.at(-1)!.wakeAt : Infinity;
      return { ids: [...ids], next: rest?.wakeAt ?? beyond, exhausted: more.exhausted };
    },
    /** Records an attempt: no scan returns the delivery early again. */
    tried: (queue: string, id: string) => void triedOf(queue).ids.add(id),
    /** Drops the records of early attempts. Called when nothing is tried early any more. */
    clear: () => tried.clear(),
  };
}
