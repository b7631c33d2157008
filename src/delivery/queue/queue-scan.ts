import { lineOfMessageId } from '../message-id.js';
import type { Queued, Store } from '../../store/port.js';

/**
 * On a shared store a node reads this many times the wanted number, and picks at random among the lines of messages, such
 * as subscriptions: nodes seldom pick the same, and the messages of one line keep their order.
 */
const CHOICE = 4;

/** Deliveries of a queue that a scan leaves out. */
export interface Excluded {
  has(id: string): boolean;
  /** At least their number. */
  readonly size: number;
}

/** Returns the scan that finds deliveries to try in a store's queues. `random` is uniform in [0, 1). */
export function createQueueScan(store: Pick<Store, 'queued' | 'shared'>, random: () => number) {
  /** By queue: deliveries that failed in an attempt of this node. */
  const tried = new Map<string, Set<string>>();

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

  return {
    /**
     * Returns up to `wanted` deliveries of a queue that are due at `now`, and when the next of the others is due, ms since the
     * epoch; Infinity if none waits. With `early`, all are due that were not tried. The cost follows `wanted`, `excluded` and the
     * number of those that were tried, not the length of the queue.
     */
    async find(queue: string, wanted: number, excluded: Excluded, now: number, early: boolean) {
      const known = early ? tried.get(queue) : undefined;
      const limit = wanted * (store.shared ? CHOICE : 1) + excluded.size + (known?.size ?? 0) + 1;
      const dueAt = ({ id, wakeAt }: Queued): number =>
        early && known?.has(id) !== true ? Math.min(wakeAt, now) : wakeAt;
      const head = await store.queued(queue, 0, limit);
      const open = head.filter(({ id }) => !excluded.has(id));
      const due = choose(
        open.filter((one) => dueAt(one) <= now),
        wanted,
      );
      const rest = open.filter((one) => !due.includes(one)).map(dueAt);
      const beyond = head.length === limit ? head.at(-1)!.wakeAt : Infinity;
      return { ids: due.map(({ id }) => id), next: Math.min(beyond, ...rest) };
    },
    /** Records an attempt that failed: no scan returns the delivery early. */
    tried: (queue: string, id: string) => void tried.set(queue, (tried.get(queue) ?? new Set()).add(id)),
    /** Drops the records of attempts. Called when nothing is tried early any more. */
    clear: () => tried.clear(),
  };
}
