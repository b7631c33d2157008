import { ownerOf, type PermitOwner, type Permits } from './permits.js';

/** Maximum number of queues of one tenant in memory; the oldest is forgotten for a new one. */
const QUEUES_PER_TENANT = 1_000;
/** A queue is held for `ms` after each failure, from the `after`th failure in a row on. */
const HOLD = { after: 16, ms: 250 };
/** A retry that was not served for so long competes for released permits, too: others may leave none to the ticks, ms. */
const RETRY_MS = 1_000;
/**
 * The rate limit of a tenant's failed attempts, 64 a second, as a debt in ms: a failure adds `each`, and the debt
 * becomes less with time. A tenant whose debt is above `free` gets no permit for receivers whose last attempt failed.
 * A debt above `most` comes from a clock that was set back and does not count.
 */
const DEBT = { each: 1_000 / 64, free: 4_000, most: 16_000 };

/**
 * The queues with deliveries that are due, as far as this node knows, and the order in which they get permits. It has
 * one entry for each queue, with any number of deliveries in it.
 */
export type Schedule = ReturnType<typeof createSchedule>;

/** A queue, as its schedule knows it. */
interface QueueState extends PermitOwner {
  /** True until all its deliveries have been tried early. */
  early: boolean;
  /** When its first delivery is due according to the store, ms since the epoch. */
  stored: number;
  /** When its first expected delivery is due, which may not be in the store yet, ms since the epoch. */
  expected: number;
  /** Failures in a row. */
  failures: number;
  /** ms since the epoch. */
  heldUntil: number;
  /** When it got its last permit, ms since the epoch. */
  permittedAt: number;
  /** Ordinal of the moment when it was added, got a permit or gave one back. */
  served: number;
}

/** Returns an empty schedule. Until `earlyUntil`, ms since the epoch, each waiting delivery is due once before its time. */
export function createSchedule(permits: Permits, earlyUntil = 0) {
  const tenants = new Map<string, Map<string, QueueState>>();
  const receivers = new Map<string, Set<QueueState>>();
  const servedOf = new Map<string, number>();
  /** By tenant: a time before which none of its queues is due, ms since the epoch. */
  const idleUntil = new Map<string, number>();
  /** By tenant: when its debt is paid off, ms since the epoch. */
  const debtUntil = new Map<string, number>();
  let served = 0;

  const find = (queue: string): QueueState | undefined => tenants.get(ownerOf(queue).tenant)?.get(queue);

  const add = (queue: string): QueueState => {
    const owner = ownerOf(queue);
    const queues = tenants.get(owner.tenant) ?? new Map<string, QueueState>();
    if (queues.size >= QUEUES_PER_TENANT) forget(queues.values().next().value!);
    const added: QueueState = {
      ...owner,
      early: true,
      stored: Infinity,
      expected: Infinity,
      failures: 0,
      heldUntil: 0,
      permittedAt: 0,
      served: (served += 1),
    };
    queues.set(queue, added);
    tenants.set(owner.tenant, queues);
    receivers.set(owner.receiver, (receivers.get(owner.receiver) ?? new Set()).add(added));
    return added;
  };

  const forget = (state: QueueState): void => {
    const queues = tenants.get(state.tenant)!;
    queues.delete(state.queue);
    if (queues.size === 0) {
      tenants.delete(state.tenant);
      servedOf.delete(state.tenant);
      idleUntil.delete(state.tenant);
      debtUntil.delete(state.tenant);
    }
    const ofReceiver = receivers.get(state.receiver)!;
    ofReceiver.delete(state);
    if (ofReceiver.size === 0) receivers.delete(state.receiver);
  };

  const dueAt = ({ stored, expected }: QueueState): number => Math.min(stored, expected);

  const isDue = (state: QueueState, now: number): boolean =>
    dueAt(state) <= now || (state.early && now < earlyUntil);

  /** The state of a queue, to be changed. */
  const changing = (queue: string): QueueState => {
    const state = find(queue) ?? add(queue);
    idleUntil.delete(state.tenant);
    return state;
  };

  /** How many attempts a tenant may make now to receivers whose last attempt failed. */
  const affordable = (tenant: string, now: number): number => {
    const debt = Math.max(0, (debtUntil.get(tenant) ?? 0) - now);
    return Math.ceil((DEBT.free - (debt > DEBT.most ? 0 : debt)) / DEBT.each);
  };

  const isHeld = (state: QueueState, now: number): boolean => {
    if (state.heldUntil > now) return true;
    if (state.failures === 0) return false;
    return affordable(state.tenant, now) <= 0;
  };

  /** `retries`: whether queues whose last attempt failed are candidates. */
  const heapOf = (queues: Iterable<QueueState>, now: number, retries: boolean): FairHeap<QueueState> => {
    const open: Candidate<QueueState>[] = [];
    for (const state of queues) {
      if (!isDue(state, now) || isHeld(state, now) || !permits.fits(state)) continue;
      const waited = now - Math.max(dueAt(state), state.permittedAt);
      if (state.failures > 0 && !retries && waited < RETRY_MS) continue;
      open.push({ value: state, inFlight: permits.ofQueue(state.queue), served: state.served });
    }
    return new FairHeap(open);
  };

  /** All queues of a tenant; none if it is known that none of them is due. */
  const queuesOf = (tenant: string, now: number): Iterable<QueueState> => {
    if ((idleUntil.get(tenant) ?? 0) > now) return [];
    const queues = tenants.get(tenant)?.values() ?? [];
    let until = Infinity;
    for (const state of queues) {
      until = Math.min(until, isDue(state, now) ? state.heldUntil : Math.max(dueAt(state), state.heldUntil));
      if (until <= now) return tenants.get(tenant)!.values();
    }
    if (until < Infinity) idleUntil.set(tenant, until);
    return [];
  };

  /** The tenants that a permit of this owner can go to, each with the queues that it can go to. */
  const sharing = ({ tenant, receiver }: PermitOwner, now: number): Map<string, Iterable<QueueState>> => {
    const found = new Map<string, Iterable<QueueState>>([[tenant, queuesOf(tenant, now)]]);
    for (const state of receivers.get(receiver) ?? []) {
      if (state.tenant !== tenant) found.set(state.tenant, [state]);
    }
    return found;
  };

  const candidate = (tenant: string): Candidate<string> => {
    return { value: tenant, inFlight: permits.ofTenant(tenant), served: servedOf.get(tenant) ?? 0 };
  };

  return {
    /** A delivery of the queue will be due at `at`, ms since the epoch. */
    expect(queue: string, at: number): void {
      const state = changing(queue);
      state.expected = Math.min(state.expected, at);
    },

    /**
     * An attempt of the queue failed and is due again at `next`. After many failures in a row the queue is held for a
     * moment. Otherwise a receiver that fails at once would get attempts without a pause.
     */
    failed(queue: string, next: number, now: number): void {
      const state = changing(queue);
      state.expected = Math.min(state.expected, next);
      state.failures += 1;
      if (state.failures >= HOLD.after) state.heldUntil = now + HOLD.ms;
      const debt = Math.max(debtUntil.get(state.tenant) ?? 0, now) + DEBT.each;
      debtUntil.set(state.tenant, Math.min(debt, now + DEBT.most));
    },

    /** An attempt of the queue has a final answer. */
    answered(queue: string): void {
      if (find(queue) !== undefined) Object.assign(changing(queue), { failures: 0, heldUntil: 0 });
    },

    /**
     * Records an answer of the store to a query at `askedAt`: the next delivery is due at `next`, Infinity if none
     * waits. `exhausted`: no delivery of the queue is left to try early.
     */
    learn(queue: string, next: number, askedAt: number, exhausted: boolean): void {
      const state = changing(queue);
      state.stored = next;
      if (state.expected <= askedAt) state.expected = Infinity;
      if (exhausted) state.early = false;
      if (dueAt(state) === Infinity) forget(state);
    },

    /** True if a delivery without a permit is due in the queue. */
    isDue(queue: string, now: number): boolean {
      const state = find(queue);
      return state !== undefined && isDue(state, now);
    },

    /** True if the queue gets no permit now, because of failures of its own or of its tenant. */
    isHeld(queue: string, now: number): boolean {
      const state = find(queue);
      return state !== undefined && isHeld(state, now);
    },

    /**
     * Acquires permits for queues that are due, until none fits, and returns their number by queue. A permit goes to
     * the tenant with the fewest attempts in flight, and among its queues to the one with the fewest. Of equal ones,
     * the one served least recently gets it. `released`: the owner of a permit that was just released. Its queue
     * comes last. Queues whose last attempt failed get no permit then: their retries wait for a call without
     * `released`, for at most `RETRY_MS`, so that many of them share one commit. `forAnybody`: true if the node had no
     * free permit before, so that the permit can go to any queue. Otherwise it goes to a queue of the same tenant or
     * receiver.
     */
    acquire(
      now: number,
      released?: PermitOwner,
      forAnybody = released === undefined,
    ): ReadonlyMap<string, number> {
      if (released !== undefined) {
        served += 1;
        const state = find(released.queue);
        if (state !== undefined) state.served = served;
        if (tenants.has(released.tenant)) servedOf.set(released.tenant, served);
      }
      const acquired = new Map<string, number>();
      const some = forAnybody ? undefined : sharing(released!, now);
      const open = new Map<string, FairHeap<QueueState>>();
      const left = new Map<string, number>();
      const affords = ({ tenant, failures }: QueueState): boolean => {
        if (failures === 0) return true;
        const most = left.get(tenant) ?? affordable(tenant, now);
        left.set(tenant, most - 1);
        return most > 0;
      };
      const line = new FairHeap([...(some ?? tenants).keys()].map(candidate));
      while (!permits.full) {
        const tenant = line.pop();
        if (tenant === undefined) break;
        // Only the queues of tenants that come first are compared: with one free permit, those of one tenant.
        const queues =
          open.get(tenant) ?? heapOf(some?.get(tenant) ?? queuesOf(tenant, now), now, released === undefined);
        open.set(tenant, queues);
        let state = queues.pop();
        while (state !== undefined && !(permits.fits(state) && affords(state))) state = queues.pop();
        if (state === undefined) continue;
        permits.acquire(state);
        state.served = served += 1;
        state.permittedAt = now;
        servedOf.set(tenant, served);
        acquired.set(state.queue, (acquired.get(state.queue) ?? 0) + 1);
        queues.push({ value: state, inFlight: permits.ofQueue(state.queue), served });
        line.push(candidate(tenant));
      }
      return acquired;
    },
  };
}

/** A candidate for the next permit. */
interface Candidate<T> {
  readonly value: T;
  /** Its attempts in flight. */
  readonly inFlight: number;
  /** Ordinal of the moment when it was last served. */
  readonly served: number;
}

/** A binary heap of candidates: first the one with the fewest attempts in flight, of equals the one served least recently. */
class FairHeap<T> {
  readonly #heap: Candidate<T>[];

  /** Takes the array over and reorders it. */
  constructor(candidates: Candidate<T>[]) {
    this.#heap = candidates;
    for (let at = (candidates.length >> 1) - 1; at >= 0; at -= 1) this.#siftDown(at);
  }

  /** Removes and returns the first candidate's value; undefined if the heap is empty. */
  pop(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length > 0) {
      heap[0] = last!;
      this.#siftDown(0);
    }
    return first?.value;
  }

  push(candidate: Candidate<T>): void {
    const heap = this.#heap;
    let at = heap.push(candidate) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(candidate, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = candidate;
  }

  #siftDown(from: number): void {
    const heap = this.#heap;
    const candidate = heap[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, candidate)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = candidate;
  }
}

function isBefore(a: Candidate<unknown>, b: Candidate<unknown>): boolean {
  return a.inFlight < b.inFlight || (a.inFlight === b.inFlight && a.served < b.served);
}
