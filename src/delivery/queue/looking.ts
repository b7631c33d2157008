import type { Queued, Store } from '../../store/port.js';

/** Of how many times as many as are wanted a node chooses, so that several nodes seldom choose the same. */
const CHOICE = 4;

/** What is not to be taken from a queue. */
export interface Taken {
  /** How many there are of the queue. */
  readonly size: number;
  has(id: string): boolean;
}

/** What a look into a queue has found. */
export interface Found {
  /** Those to be tried now, at most as many as were wanted. */
  readonly ids: readonly string[];
  /** When the next of the others is due, ms since the epoch; Infinity where none waits. */
  readonly next: number;
  /** True where none is left to be tried ahead of its time. */
  readonly through: boolean;
}

/** Looks for deliveries whose turn it is. */
export interface Looking {
  /**
   * Looks for as many as are wanted of a queue whose time has come, and where there are fewer and `ahead`, for those
   * that wait: each of them once. The cost follows what is wanted and taken, not what waits.
   */
  look(queue: string, wanted: number, taken: Taken, now: number, ahead: boolean): Promise<Found>;
  /** A delivery has been tried: not once more ahead of its time. */
  tried(queue: string, id: string): void;
  /** Nothing is to be tried ahead of its time any more. */
  forgetAhead(): void;
}

/** Makes it. `random` is uniform in [0, 1). */
export function createLooking(store: Pick<Store, 'queued' | 'shared'>, random: () => number): Looking {
  /** By queue: up to what time those that wait have been tried, and which. */
  const tried = new Map<string, { upTo: number; readonly ids: Set<string> }>();

  const triedOf = (queue: string) => {
    const known = tried.get(queue) ?? { upTo: 0, ids: new Set<string>() };
    tried.set(queue, known);
    return known;
  };

  const choose = (from: readonly Queued[], wanted: number): readonly Queued[] => {
    if (!store.shared) return from.slice(0, wanted);
    const choice = from.slice(0, wanted * CHOICE);
    const chosen: Queued[] = [];
    while (chosen.length < wanted && choice.length > 0) {
      chosen.push(...choice.splice(Math.floor(random() * choice.length), 1));
    }
    return chosen;
  };

  const lookAhead = async (
    queue: string,
    wanted: number,
    taken: Taken,
    chosen: readonly Queued[],
  ): Promise<{ readonly more: readonly Queued[]; readonly through: boolean }> => {
    const known = triedOf(queue);
    for (const { id } of chosen) known.ids.add(id);
    const left = wanted - chosen.length;
    if (left === 0) return { more: [], through: false };
    const limit = wanted + taken.size + 1;
    const waiting = await store.queued(queue, known.upTo, limit);
    const open = waiting.filter(({ id }) => !taken.has(id) && !known.ids.has(id));
    const more = open.slice(0, left);
    for (const { id } of more) known.ids.add(id);
    const last = open.length > left ? more.at(-1) : waiting.at(-1);
    // Whole pages of one time that were all tried would be read for ever.
    known.upTo = Math.max(known.upTo + (more.length === 0 ? 1 : 0), last?.wakeAt ?? 0);
    return { more, through: waiting.length < limit && open.length <= left };
  };

  return {
    async look(queue, wanted, taken, now, ahead) {
      const limit = wanted * (store.shared ? CHOICE : 1) + taken.size + 1;
      const head = await store.queued(queue, 0, limit);
      const open = head.filter(({ id }) => !taken.has(id));
      const chosen = choose(
        open.filter(({ wakeAt }) => wakeAt <= now),
        wanted,
      );
      const { more, through } = ahead
        ? await lookAhead(queue, wanted, taken, chosen)
        : { more: [], through: true };
      const ids = new Set([...chosen, ...more].map(({ id }) => id));
      const rest = open.find(({ id }) => !ids.has(id));
      const beyond = head.length === limit ? head.at(-1)!.wakeAt : Infinity;
      return { ids: [...ids], next: rest?.wakeAt ?? beyond, through };
    },
    tried: (queue, id) => void triedOf(queue).ids.add(id),
    forgetAhead: () => tried.clear(),
  };
}
