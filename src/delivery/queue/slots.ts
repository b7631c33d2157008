/** Whose attempt it is: the receiver it goes to, the tenant it is for, and the queue of both. */
export interface SlotOwner {
  readonly queue: string;
  readonly receiver: string;
  readonly tenant: string;
}

/** Most attempts at once. */
export interface SlotLimits {
  /** To one receiver, of all tenants together. */
  readonly perReceiver: number;
  readonly perTenant: number;
  readonly inAll: number;
}

/** Counts the attempts under way, so that no slow or dead receiver, and no tenant of many, takes what others need. */
export interface Slots {
  /** True where a slot is free for the receiver, for the tenant, and in all. */
  fits(owner: SlotOwner): boolean;
  take(owner: SlotOwner): void;
  free(owner: SlotOwner): void;
  /** True where every slot is taken, whoever asks. */
  readonly full: boolean;
  /** Attempts of a tenant that are under way. */
  ofTenant(tenant: string): number;
  /** Attempts of a tenant to a receiver that are under way. */
  ofQueue(queue: string): number;
}

/** Makes slots, all of them free. */
export function createSlots(limits: SlotLimits): Slots {
  const receivers = new Map<string, number>();
  const tenants = new Map<string, number>();
  const queues = new Map<string, number>();
  let total = 0;

  const count = ({ receiver, tenant, queue }: SlotOwner, by: 1 | -1): void => {
    total += by;
    add(receivers, receiver, by);
    add(tenants, tenant, by);
    add(queues, queue, by);
  };

  return {
    fits: ({ receiver, tenant }) =>
      total < limits.inAll &&
      (tenants.get(tenant) ?? 0) < limits.perTenant &&
      (receivers.get(receiver) ?? 0) < limits.perReceiver,
    take: (owner) => count(owner, 1),
    free: (owner) => count(owner, -1),
    get full() {
      return total >= limits.inAll;
    },
    ofTenant: (tenant) => tenants.get(tenant) ?? 0,
    ofQueue: (queue) => queues.get(queue) ?? 0,
  };
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
