import { createHash } from 'node:crypto';
import { lruCache } from '../../system/lru-cache.js';
import type { Message } from '../port.js';

/** The queue that an attempt belongs to, and the tenant and the receiver in the queue's name. */
export interface PermitOwner {
  readonly queue: string;
  readonly receiver: string;
  readonly tenant: string;
}

/** Longest receiver that a queue's name holds as it is, characters; a longer one is hashed. */
const RECEIVER_LENGTH = 256;

/** The name of the queue for the messages of one tenant to one receiver. */
export function queueOf(tenant: string, message: Message): string {
  return `${tenant}/${receiverOf(message)}`;
}

/** The inverse of `queueOf`: a tenant's id holds no slash. */
export function ownerOf(queue: string): PermitOwner {
  const slash = queue.indexOf('/');
  return { queue, tenant: queue.slice(0, slash), receiver: queue.slice(slash + 1) };
}

/** The origin of a message's url; `email` for the mail server. */
function receiverOf(message: Message): string {
  if (message.channel === 'email') return 'email';
  const { origin } = new URL(message.url);
  if (origin.length <= RECEIVER_LENGTH) return origin;
  return `sha256:${createHash('sha256').update(origin).digest('hex')}`;
}

/** Maximum number of attempts under way on one node. */
export interface PermitLimits {
  /** To one receiver, for all tenants together. */
  readonly perReceiver: number;
  readonly perTenant: number;
  readonly inAll: number;
}

/** The share of a tenant's permits that its receivers without an answer can have together, by their last attempt. */
const SHARE = { failed: 1 / 2, none: 3 / 4 };
/** Queues whose last attempt is remembered, and tenants whose retries are; the oldest is forgotten for a new one. */
const REMEMBERED = 10_000;
/** A queue is held for `ms` after each failure, from the `after`th failure in a row on. */
const HOLD = { after: 16, ms: 250 };
/**
 * A tenant has `perSecond` attempts a second at receivers whose last attempt failed, and `burst` at once. It is held for at most
 * `mostMs`.
 */
const RETRIES = { perSecond: 64, burst: 256, mostMs: 12_000 };

/** The last attempts of a queue. */
interface Outcome {
  /** Failures in a row; 0: the last attempt was answered. */
  readonly failures: number;
  /** ms since the epoch. */
  readonly heldUntil: number;
}

/**
 * Decides whether an attempt may begin, from the attempts in flight and the last ones: neither a slow receiver nor a busy tenant uses
 * up the capacity of the others, nor do dead receivers that of those which answer.
 */
export type Permits = ReturnType<typeof createPermits>;

/** Returns permits that are all free. */
export function createPermits(limits: PermitLimits) {
  const receivers = new Map<string, number>();
  const tenants = new Map<string, number>();
  const queues = new Map<string, number>();
  /** By queue; the oldest first. */
  const outcomes = new Map<string, Outcome>();
  /** By tenant: attempts in flight of queues whose last attempt was not answered. */
  const unanswered = new Map<string, number>();
  /** By tenant: until when its retries are held, ms since the epoch. */
  const heldUntil = lruCache<number>(REMEMBERED);
  let total = 0;

  const isAnswered = (queue: string): boolean => outcomes.get(queue)?.failures === 0;
  const hasFailed = (queue: string): boolean => (outcomes.get(queue)?.failures ?? 0) > 0;

  const count = ({ receiver, tenant, queue }: PermitOwner, by: 1 | -1): void => {
    total += by;
    add(receivers, receiver, by);
    add(tenants, tenant, by);
    add(queues, queue, by);
    if (!isAnswered(queue)) add(unanswered, tenant, by);
  };

  /** `outcome`: undefined forgets the queue. */
  const remember = ({ queue, tenant }: PermitOwner, outcome: Outcome | undefined): void => {
    const inFlight = queues.get(queue) ?? 0;
    if (!isAnswered(queue)) add(unanswered, tenant, -inFlight);
    outcomes.delete(queue);
    if (outcome !== undefined) outcomes.set(queue, outcome);
    if (!isAnswered(queue)) add(unanswered, tenant, inFlight);
  };

  /** How many attempts of a tenant may be in flight to receivers like that of a queue. */
  const share = (queue: string): number => {
    if (isAnswered(queue)) return Infinity;
    return Math.ceil(limits.perTenant * (hasFailed(queue) ? SHARE.failed : SHARE.none));
  };

  const isFree = ({ receiver, tenant, queue }: PermitOwner): boolean =>
    total < limits.inAll &&
    (tenants.get(tenant) ?? 0) < limits.perTenant &&
    (receivers.get(receiver) ?? 0) < limits.perReceiver &&
    (unanswered.get(tenant) ?? 0) < share(queue);

  const isHeld = ({ queue, tenant }: PermitOwner, now: number): boolean =>
    hasFailed(queue) &&
    (believed(outcomes.get(queue)!.heldUntil, now, HOLD.ms) > now ||
      believed(heldUntil.get(tenant) ?? 0, now, RETRIES.mostMs) > now);

  return {
    /** True if the receiver, the tenant and the node each have a free permit. */
    isFree,
    /** True if the queue gets no permit now, because of failures of its own or of its tenant. */
    isHeld,
    /** True if an attempt may begin. */
    fits: (owner: PermitOwner, now: number) => isFree(owner) && !isHeld(owner, now),
    acquire(owner: PermitOwner, now: number): void {
      count(owner, 1);
      if (!hasFailed(owner.queue)) return;
      const { perSecond, burst, mostMs } = RETRIES;
      const before = believed(heldUntil.get(owner.tenant) ?? 0, now, mostMs);
      const until = Math.max(before, now - (burst / perSecond) * 1_000) + 1_000 / perSecond;
      heldUntil.set(owner.tenant, Math.min(until, now + mostMs));
    },
    release: (owner: PermitOwner) => count(owner, -1),
    /** Records whether the last attempt of a queue was answered, so that no retry follows. */
    ended(owner: PermitOwner, answered: boolean, now: number): void {
      const { queue } = owner;
      const failures = answered ? 0 : (outcomes.get(queue)?.failures ?? 0) + 1;
      if (outcomes.size >= REMEMBERED && !outcomes.has(queue))
        remember(ownerOf(outcomes.keys().next().value!), undefined);
      remember(owner, { failures, heldUntil: failures < HOLD.after ? 0 : now + HOLD.ms });
    },
    /** True if the last attempt of a queue was not answered. */
    hasFailed,
    /** True if the node has no free permit. */
    get full() {
      return total >= limits.inAll;
    },
    /** Attempts in flight for a tenant. */
    ofTenant: (tenant: string) => tenants.get(tenant) ?? 0,
    /** Attempts in flight for a queue. */
    ofQueue: (queue: string) => queues.get(queue) ?? 0,
  };
}

/** Returns the end of a hold of at most `mostMs`; 0 if the clock was set back since it began. Both in ms since the epoch. */
function believed(until: number, now: number, mostMs: number): number {
  return until > now + mostMs ? 0 : until;
}

/** Changes a count by a number. A count of 0 is removed. */
export function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
