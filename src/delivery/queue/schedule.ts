import { ownerOf } from './queue.js';
import type { SlotOwner, Slots } from './slots.js';
import { Turns } from './turns.js';
import type { Turn } from './turns.js';

/** Most queues of one tenant that are kept in mind; more take turns. */
const QUEUES_PER_TENANT = 1_000;
/** After how many failures in a row a queue is held, and for how long from each further one, ms. */
const HELD = { after: 16, ms: 250 };
/**
 * A failure costs its tenant so much time, ms: 64 in a second. Who owes more gets no slot for receivers that failed last;
 * more than the most that can be owed is of a clock that went back.
 */
const OWED = { each: 1_000 / 64, free: 4_000, most: 16_000 };

/**
 * Which queues have deliveries whose time has come, as far as this node knows, and which of them gets the next slot.
 * It holds one entry for each queue, whatever the number of deliveries in it.
 */
export interface Schedule {
  /** A delivery of the queue will be due at that time, ms since the epoch. */
  expect(queue: string, at: number): void;
  /**
   * An attempt of the queue failed and is due again at `next`. Where many did in a row the queue gets no slot for a
   * moment, or a receiver that refuses at once would have attempt after attempt.
   */
  failed(queue: string, next: number, now: number): void;
  /** An attempt of the queue was answered for good. */
  answered(queue: string): void;
  /**
   * The store was asked at `askedAt`: the next delivery is due at `next`, Infinity where none waits. `through`: none of
   * those that wait is to be tried ahead of its time any more.
   */
  learn(queue: string, next: number, askedAt: number, through: boolean): void;
  /** True where a delivery of the queue is due that has no slot. */
  isDue(queue: string, now: number): boolean;
  /** True where the queue gets no slot for a moment, since its attempts failed, or those of its tenant's other queues too. */
  isHeld(queue: string, now: number): boolean;
  /**
   * Gives slots to queues that are due, until none is free for them: to the tenant with the fewest first, of its queues
   * to the one with the fewest, of those to the one that has waited longest. Each of them is taken. Gives how many each
   * queue got. `released` is who has just given a slot back: its own queue comes last. `forAnybody`: where every slot was taken,
   * that one can be for all queues, else for those of its tenant and its receiver.
   */
  grant(now: number, released?: SlotOwner, forAnybody?: boolean): ReadonlyMap<string, number>;
}

/** A queue that is kept in mind. */
interface Known extends SlotOwner {
  /** True until all that waits in it has been tried ahead of its time. */
  ahead: boolean;
  /** The earliest time in it that the store is known to have, ms since the epoch. */
  stored: number;
  /** The earliest time that was announced and that the store need not have yet. */
  announced: number;
  /** Attempts that failed in a row, and until when it gets no slot for that, ms since the epoch. */
  failures: number;
  heldUntil: number;
  /** Ordinal of when it came, got a slot or gave one back last: the least has waited longest. */
  served: number;
}

/** Makes a schedule. Until `aheadUntil`, ms since the epoch, what waits is due ahead of its time, once. */
export function createSchedule(slots: Slots, aheadUntil = 0): Schedule {
  const tenants = new Map<string, Map<string, Known>>();
  const receivers = new Map<string, Set<Known>>();
  const servedOf = new Map<string, number>();
  /** By tenant: the time before which none of its queues is due, as far as that is known. */
  const idleUntil = new Map<string, number>();
  /** By tenant: until when its failures are paid for, ms since the epoch. */
  const owedUntil = new Map<string, number>();
  let served = 0;

  const find = (queue: string): Known | undefined => tenants.get(ownerOf(queue).tenant)?.get(queue);

  const keep = (queue: string): Known => {
    const owner = ownerOf(queue);
    const queues = tenants.get(owner.tenant) ?? new Map<string, Known>();
    tenants.set(owner.tenant, queues);
    if (queues.size >= QUEUES_PER_TENANT) forget(queues.values().next().value!);
    const known: Known = {
      ...owner,
      ahead: true,
      stored: Infinity,
      announced: Infinity,
      failures: 0,
      heldUntil: 0,
      served: (served += 1),
    };
    queues.set(queue, known);
    tenants.set(owner.tenant, queues);
    receivers.set(owner.receiver, (receivers.get(owner.receiver) ?? new Set()).add(known));
    return known;
  };

  const forget = (known: Known): void => {
    const queues = tenants.get(known.tenant)!;
    queues.delete(known.queue);
    if (queues.size === 0) {
      tenants.delete(known.tenant);
      servedOf.delete(known.tenant);
      idleUntil.delete(known.tenant);
      owedUntil.delete(known.tenant);
    }
    const ofReceiver = receivers.get(known.receiver)!;
    ofReceiver.delete(known);
    if (ofReceiver.size === 0) receivers.delete(known.receiver);
  };

  const dueAt = ({ stored, announced }: Known): number => Math.min(stored, announced);

  const isDue = (known: Known, now: number): boolean =>
    dueAt(known) <= now || (known.ahead && now < aheadUntil);

  const changed = (queue: string): Known => {
    const known = find(queue) ?? keep(queue);
    idleUntil.delete(known.tenant);
    return known;
  };

  /** How many attempts a tenant may make now at receivers that failed last. */
  const affordable = (tenant: string, now: number): number => {
    const owed = Math.max(0, (owedUntil.get(tenant) ?? 0) - now);
    return Math.ceil((OWED.free - (owed > OWED.most ? 0 : owed)) / OWED.each);
  };

  const isHeld = (known: Known, now: number): boolean => {
    if (known.heldUntil > now) return true;
    if (known.failures === 0) return false;
    return affordable(known.tenant, now) <= 0;
  };

  const turnsOf = (queues: Iterable<Known>, now: number): Turns<Known> => {
    const open: Turn<Known>[] = [];
    for (const known of queues) {
      if (!isDue(known, now) || isHeld(known, now) || !slots.fits(known)) continue;
      open.push({ of: known, count: slots.ofQueue(known.queue), served: known.served });
    }
    return new Turns(open);
  };

  /** All queues of a tenant; none where it is known that none of them is due. */
  const queuesOf = (tenant: string, now: number): Iterable<Known> => {
    if ((idleUntil.get(tenant) ?? 0) > now) return [];
    const queues = tenants.get(tenant)?.values() ?? [];
    let until = Infinity;
    for (const known of queues) {
      until = Math.min(until, isDue(known, now) ? known.heldUntil : Math.max(dueAt(known), known.heldUntil));
      if (until <= now) return tenants.get(tenant)!.values();
    }
    if (until < Infinity) idleUntil.set(tenant, until);
    return [];
  };

  /** The tenants that a slot can go to, and of each the queues that it can go to. */
  const sharing = ({ tenant, receiver }: SlotOwner, now: number): Map<string, Iterable<Known>> => {
    const found = new Map<string, Iterable<Known>>([[tenant, queuesOf(tenant, now)]]);
    for (const known of receivers.get(receiver) ?? []) {
      if (known.tenant !== tenant) found.set(known.tenant, [known]);
    }
    return found;
  };

  const turnOf = (tenant: string): Turn<string> => {
    return { of: tenant, count: slots.ofTenant(tenant), served: servedOf.get(tenant) ?? 0 };
  };

  return {
    expect(queue, at) {
      const known = changed(queue);
      known.announced = Math.min(known.announced, at);
    },

    failed(queue, next, now) {
      const known = changed(queue);
      known.announced = Math.min(known.announced, next);
      known.failures += 1;
      if (known.failures >= HELD.after) known.heldUntil = now + HELD.ms;
      const owed = Math.max(owedUntil.get(known.tenant) ?? 0, now) + OWED.each;
      owedUntil.set(known.tenant, Math.min(owed, now + OWED.most));
    },

    answered(queue) {
      if (find(queue) !== undefined) Object.assign(changed(queue), { failures: 0, heldUntil: 0 });
    },

    learn(queue, next, askedAt, through) {
      const known = changed(queue);
      known.stored = next;
      if (known.announced <= askedAt) known.announced = Infinity;
      if (through) known.ahead = false;
      if (dueAt(known) === Infinity) forget(known);
    },

    isDue(queue, now) {
      const known = find(queue);
      return known !== undefined && isDue(known, now);
    },

    isHeld(queue, now) {
      const known = find(queue);
      return known !== undefined && isHeld(known, now);
    },

    grant(now, released, forAnybody = released === undefined) {
      if (released !== undefined) {
        served += 1;
        const known = find(released.queue);
        if (known !== undefined) known.served = served;
        if (tenants.has(released.tenant)) servedOf.set(released.tenant, served);
      }
      const granted = new Map<string, number>();
      const some = forAnybody ? undefined : sharing(released!, now);
      const open = new Map<string, Turns<Known>>();
      const left = new Map<string, number>();
      const affords = ({ tenant, failures }: Known): boolean => {
        if (failures === 0) return true;
        const most = left.get(tenant) ?? affordable(tenant, now);
        left.set(tenant, most - 1);
        return most > 0;
      };
      const line = new Turns([...(some ?? tenants).keys()].map(turnOf));
      while (!slots.full) {
        const tenant = line.take();
        if (tenant === undefined) break;
        // The queues of a tenant are looked at when it is its turn: with one slot free that is one tenant's.
        const queues = open.get(tenant) ?? turnsOf(some?.get(tenant) ?? queuesOf(tenant, now), now);
        open.set(tenant, queues);
        let known = queues.take();
        while (known !== undefined && !(slots.fits(known) && affords(known))) known = queues.take();
        if (known === undefined) continue;
        slots.take(known);
        known.served = served += 1;
        servedOf.set(tenant, served);
        granted.set(known.queue, (granted.get(known.queue) ?? 0) + 1);
        queues.put({ of: known, count: slots.ofQueue(known.queue), served });
        line.put(turnOf(tenant));
      }
      return granted;
    },
  };
}
