import { add, ownerOf, type PermitOwner, type Permits } from './permits.js';

/** Maximum number of queues of one tenant in memory; one that was not served for longest is forgotten for a new one. */
const QUEUES_PER_TENANT = 1_000;
/** A retry that was not served for so long competes for released permits, too: others may leave none to the ticks, ms. */
const RETRY_MS = 1_000;

/**
 * The queues with deliveries that are due, as far as this node knows, and the order in which they get permits. It has
 * one entry for each queue, with any number of deliveries in it.
 */
export type Schedule = ReturnType<typeof createSchedule>;

/** A queue, as its schedule knows it. */
interface Waiting extends PermitOwner {
  /** When its first delivery is due according to the store, ms since the epoch. */
  stored: number;
  /** When its first expected delivery is due, which may not be in the store yet, ms since the epoch. */
  expected: number;
  /** When it got its last permit, ms since the epoch. */
  permittedAt: number;
}

interface Tenant {
  /** By receiver. The one that was served, or added, longest ago comes first. */
  readonly queues: Map<string, Waiting>;
  /** None of its queues is due before, ms since the epoch. */
  idleUntil: number;
}

/** A call of `acquire`, for the queues of one tenant. */
interface Call {
  /** ms since the epoch. */
  readonly now: number;
  /** False if a permit was just released. */
  readonly isTick: boolean;
  /** The only receiver; undefined: all. */
  readonly receiver: string | undefined;
}

/** Returns an empty schedule. */
export function createSchedule(permits: Permits) {
  /** The one that was served, or added, longest ago comes first. */
  const tenants = new Map<string, Tenant>();

  const find = (queue: string): Waiting | undefined => {
    const { tenant, receiver } = ownerOf(queue);
    return tenants.get(tenant)?.queues.get(receiver);
  };

  const forget = ({ tenant, receiver }: PermitOwner): void => {
    const { queues } = tenants.get(tenant)!;
    queues.delete(receiver);
    if (queues.size === 0) tenants.delete(tenant);
  };

  const enter = (queue: string): Waiting => {
    const owner = ownerOf(queue);
    const tenant = tenants.get(owner.tenant) ?? { queues: new Map<string, Waiting>(), idleUntil: Infinity };
    const { queues } = tenant;
    if (queues.size >= QUEUES_PER_TENANT) forget(queues.values().next().value!);
    const added = { ...owner, stored: Infinity, expected: Infinity, permittedAt: 0 };
    queues.set(owner.receiver, added);
    tenants.set(owner.tenant, tenant);
    return added;
  };

  const dueAt = ({ stored, expected }: Waiting): number => Math.min(stored, expected);

  /** Called after a change of a queue's times. Forgets a queue in which nothing waits. */
  const changed = (state: Waiting): void => {
    const tenant = tenants.get(state.tenant)!;
    tenant.idleUntil = Math.min(tenant.idleUntil, dueAt(state));
    if (dueAt(state) === Infinity) forget(state);
  };

  /** The queues of a tenant that are due and can get a permit. */
  const openOf = (tenant: Tenant, { now, isTick, receiver }: Call): readonly Waiting[] => {
    if (tenant.idleUntil > now) return [];
    const open: Waiting[] = [];
    tenant.idleUntil = Infinity;
    for (const state of tenant.queues.values()) {
      const at = dueAt(state);
      if (at < tenant.idleUntil) tenant.idleUntil = at;
      if (at > now || (receiver !== undefined && state.receiver !== receiver)) continue;
      const waited = now - Math.max(at, state.permittedAt);
      if (!isTick && waited < RETRY_MS && permits.hasFailed(state.queue)) continue;
      if (permits.fits(state, now)) open.push(state);
    }
    return open;
  };

  /** Marks a queue and its tenant as served. */
  const serve = ({ tenant, receiver }: PermitOwner): void => {
    const queues = tenants.get(tenant)?.queues;
    if (queues === undefined) return;
    moveLast(tenants, tenant);
    moveLast(queues, receiver);
  };

  /** Acquires permits for queues of a tenant, one with each step. */
  function* acquireFor(tenant: Tenant, call: Call): Generator<Waiting, undefined> {
    const { now } = call;
    for (const state of fewestFirst(openOf(tenant, call), ({ queue }) => permits.ofQueue(queue))) {
      if (!permits.fits(state, now)) continue;
      permits.acquire(state, now);
      state.permittedAt = now;
      serve(state);
      yield state;
    }
  }

  return {
    /** A delivery of the queue will be due at `at`, ms since the epoch. */
    expect(queue: string, at: number): void {
      const state = find(queue) ?? enter(queue);
      state.expected = Math.min(state.expected, at);
      changed(state);
    },

    /**
     * Records an answer of the store to a query at `askedAt`: the next delivery is due at `next`, Infinity if none
     * waits.
     */
    learn(queue: string, next: number, askedAt: number): void {
      const state = find(queue) ?? enter(queue);
      state.stored = next;
      if (state.expected <= askedAt) state.expected = Infinity;
      changed(state);
    },

    /** True if a delivery without a permit is due in the queue. */
    isDue(queue: string, now: number): boolean {
      const state = find(queue);
      return state !== undefined && dueAt(state) <= now;
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
      if (released !== undefined) serve(released);
      // Only the queues of tenants that come first are compared: with one free permit, those of one tenant.
      const line: { readonly name: string; readonly permitted: Generator<Waiting, undefined> }[] = [];
      for (const [name, tenant] of tenants) {
        const receiver = forAnybody || name === released?.tenant ? undefined : released?.receiver;
        if (receiver !== undefined && !tenant.queues.has(receiver)) continue;
        const call = { now, isTick: released === undefined, receiver };
        line.push({ name, permitted: acquireFor(tenant, call) });
      }
      const acquired = new Map<string, number>();
      for (const { permitted } of fewestFirst(line, ({ name }) => permits.ofTenant(name))) {
        if (permits.full) break;
        const { value } = permitted.next();
        if (value !== undefined) add(acquired, value.queue, 1);
      }
      return acquired;
    },
  };
}

function moveLast<T>(map: Map<string, T>, key: string): void {
  const value = map.get(key);
  if (!map.delete(key)) return;
  map.set(key, value!);
}

/**
 * Yields values, the one with the fewest attempts in flight first, and equal ones in their order. A value that has more attempts in
 * flight when the next one is asked for is yielded again, in its new place.
 */
function* fewestFirst<T>(values: Iterable<T>, inFlightOf: (value: T) => number): Generator<T> {
  const byInFlight: T[][] = [];
  const place = (value: T): void => void (byInFlight[inFlightOf(value)] ??= []).push(value);
  for (const value of values) place(value);
  for (let inFlight = 0; inFlight < byInFlight.length; inFlight += 1) {
    for (const value of byInFlight[inFlight] ?? []) {
      yield value;
      if (inFlightOf(value) > inFlight) place(value);
    }
  }
}
