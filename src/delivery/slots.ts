/** Whose work it is: the receiver it goes to and the tenant it is for. */
export interface SlotOwner {
  readonly receiver: string;
  readonly tenant: string;
}

/** Most at once. */
export interface SlotLimits {
  readonly perReceiver: number;
  readonly perTenant: number;
  readonly inAll: number;
  /** Most that wait for one receiver, and for one tenant, which shares receivers such as the mail server. */
  readonly waitingPerReceiver: number;
  readonly waitingPerTenant: number;
  /** Longest wait, ms. */
  readonly waitMs: number;
}

/** Bounds how much is under way, so that no slow or dead receiver, and no tenant of many, takes what others need. */
export interface Slots {
  /**
   * Runs the work, after a wait where its receiver has no free slot. Gives undefined, the work not begun, when that
   * takes too long or too many wait, and at once when the tenant or the whole has no free slot.
   */
  run<T>(owner: SlotOwner, work: () => Promise<T>): Promise<T | undefined>;
}

interface Waiting extends SlotOwner {
  readonly settle: (mine: boolean) => void;
}

/** Makes slots. What waits for a receiver starts in the order it came, save where its tenant has no free slot. */
export function createSlots(limits: SlotLimits): Slots {
  const receivers = new Map<string, number>();
  const tenants = new Map<string, number>();
  const queues = new Map<string, Set<Waiting>>();
  const waitingOf = new Map<string, number>();
  let total = 0;

  const othersFit = (tenant: string): boolean =>
    total < limits.inAll && (tenants.get(tenant) ?? 0) < limits.perTenant;
  const fits = ({ receiver, tenant }: SlotOwner): boolean =>
    othersFit(tenant) && (receivers.get(receiver) ?? 0) < limits.perReceiver;
  const take = ({ receiver, tenant }: SlotOwner, by: 1 | -1): void => {
    total += by;
    add(receivers, receiver, by);
    add(tenants, tenant, by);
  };

  const leave = (waiting: Waiting, mine: boolean): void => {
    const queue = queues.get(waiting.receiver)!;
    queue.delete(waiting);
    if (queue.size === 0) queues.delete(waiting.receiver);
    add(waitingOf, waiting.tenant, -1);
    // Taken here and not by the one who waits, or somebody new would come between.
    if (mine) take(waiting, 1);
    waiting.settle(mine);
  };

  const turn = (owner: SlotOwner): Promise<boolean> => {
    const queue = queues.get(owner.receiver) ?? new Set();
    const full = queue.size >= limits.waitingPerReceiver;
    if (full || (waitingOf.get(owner.tenant) ?? 0) >= limits.waitingPerTenant) return Promise.resolve(false);
    queues.set(owner.receiver, queue);
    add(waitingOf, owner.tenant, 1);
    return new Promise((resolve) => {
      const timer = setTimeout(() => leave(waiting, false), limits.waitMs);
      const waiting: Waiting = {
        ...owner,
        settle: (mine) => {
          clearTimeout(timer);
          resolve(mine);
        },
      };
      queue.add(waiting);
    });
  };

  const free = (owner: SlotOwner): void => {
    take(owner, -1);
    for (const waiting of queues.get(owner.receiver) ?? []) {
      if (!fits(waiting)) continue;
      leave(waiting, true);
      return;
    }
  };

  return {
    async run(owner, work) {
      if (!othersFit(owner.tenant)) return undefined;
      if (fits(owner)) take(owner, 1);
      else if (!(await turn(owner))) return undefined;
      try {
        return await work();
      } finally {
        free(owner);
      }
    },
  };
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
