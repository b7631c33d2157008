import { createHash } from 'node:crypto';
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
/** Queues whose last attempt is remembered; the oldest is forgotten for a new one. */
const REMEMBERED = 10_000;

/**
 * Counts attempts in flight, so that neither a slow receiver nor a busy tenant uses up the capacity of the others, nor dead
 * receivers that of those which answer.
 */
export type Permits = ReturnType<typeof createPermits>;

/** Returns permits that are all free. */
export function createPermits(limits: PermitLimits) {
  const receivers = new Map<string, number>();
  const tenants = new Map<string, number>();
  const queues = new Map<string, number>();
  /** By queue: whether its last attempt was answered. */
  const answers = new Map<string, boolean>();
  /** By tenant: attempts in flight of queues whose last attempt was not answered. */
  const unanswered = new Map<string, number>();
  let total = 0;

  const count = ({ receiver, tenant, queue }: PermitOwner, by: 1 | -1): void => {
    total += by;
    add(receivers, receiver, by);
    add(tenants, tenant, by);
    add(queues, queue, by);
    if (answers.get(queue) !== true) add(unanswered, tenant, by);
  };

  /** `answered`: undefined forgets the queue. */
  const remember = ({ queue, tenant }: PermitOwner, answered: boolean | undefined): void => {
    const inFlight = queues.get(queue) ?? 0;
    if (answers.get(queue) !== true) add(unanswered, tenant, -inFlight);
    answers.delete(queue);
    if (answered !== undefined) answers.set(queue, answered);
    if (answered !== true) add(unanswered, tenant, inFlight);
  };

  /** How many attempts of a tenant may be in flight to receivers like that of a queue. */
  const share = (queue: string): number => {
    const answered = answers.get(queue);
    if (answered === true) return Infinity;
    return Math.ceil(limits.perTenant * (answered === false ? SHARE.failed : SHARE.none));
  };

  return {
    /** True if the receiver, the tenant and the node each have a free permit. */
    fits: ({ receiver, tenant, queue }: PermitOwner) =>
      total < limits.inAll &&
      (tenants.get(tenant) ?? 0) < limits.perTenant &&
      (receivers.get(receiver) ?? 0) < limits.perReceiver &&
      (unanswered.get(tenant) ?? 0) < share(queue),
    acquire: (owner: PermitOwner) => count(owner, 1),
    release: (owner: PermitOwner) => count(owner, -1),
    /** Records whether the last attempt of a queue was answered, so that no retry follows. */
    ended(owner: PermitOwner, answered: boolean): void {
      if (answers.get(owner.queue) === answered) return;
      if (answers.size >= REMEMBERED && !answers.has(owner.queue))
        remember(ownerOf(answers.keys().next().value!), undefined);
      remember(owner, answered);
    },
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

/** Changes a count by a number. A count of 0 is removed. */
export function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
