import { Refusal } from '../errors.js';
import type { Address } from '../store/port.js';
import type { Behavior, Snapshot } from './behavior.js';
import type { ActorContext, ActorEvent, OutboxEntry } from './kind.js';
import type { ActorLimits } from './overload.js';
import { withNotes } from './notes.js';
import { giveSerials, isReplaced } from './outbox.js';

/** A message to an actor. */
export interface Message {
  /** undefined: the sender reads the actor. */
  readonly event: ActorEvent | undefined;
  /** True: the event is only tried out. The sender gets the reply, and nothing changes. */
  readonly isTrial: boolean;
  /** The entry whose effect the event reports; undefined for any other message. */
  readonly reported: OutboxEntry | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The messages that wait for one actor, in order of arrival. */
export class Mailbox {
  #waiting: Message[] = [];
  /** How many of the first messages get a batch of their own. */
  #single = 0;

  get size(): number {
    return this.#waiting.length;
  }

  push(message: Message): void {
    this.#waiting.push(message);
  }

  /** Removes and returns the messages of the next batch. */
  next(): Message[] {
    if (this.#single === 0) return this.all();
    this.#single -= 1;
    return this.#waiting.splice(0, 1);
  }

  /** Removes and returns all messages. */
  all(): Message[] {
    const all = this.#waiting;
    this.#waiting = [];
    this.#single = 0;
    return all;
  }

  /** Puts the messages of a batch back before all others; `singly`: each gets a batch of its own. */
  putBack(messages: readonly Message[], how?: 'singly'): void {
    if (how === 'singly') this.#single = messages.length;
    this.#waiting = [...messages, ...this.#waiting];
  }
}

/** The decisions on some messages, before any of them is durable. */
export interface Batch {
  /** In order of arrival. */
  readonly messages: readonly Message[];
  /** One for each message. */
  readonly answers: readonly Answer[];
  /** The actor after the last message. */
  readonly snapshot: Snapshot;
  /** True if a wake-up that no other node has answered is among the events: the outbox is performed again. */
  readonly wakeUp: boolean;
  /** The machine's `wakeAt` if it was due at the wake-up and the machine left it as it is. */
  readonly ignoredWakeAt: number | undefined;
}

type Answer =
  | { readonly is: 'reply'; readonly value: unknown }
  | { readonly is: 'view' }
  | { readonly is: 'thrown'; readonly error: unknown };

const VIEW: Answer = { is: 'view' };
const DROPPED: Answer = { is: 'reply', value: undefined };

/** What the runtime adds to the decisions of a machine. */
interface Deciding {
  readonly address: Address;
  /**
   * False if another node has answered the wake-up already: the machine gets the event, and that node performs the
   * outbox.
   */
  readonly isDue: boolean;
  /** Returns the serial of a new outbox entry. */
  readonly nextSerial: () => number;
  /** Called with what the machine throws. */
  readonly onThrow: (eventType: string, error: unknown) => void;
  /** Called with the snapshot after an event that is only tried out. Throws the `Refusal` that its commit would get. */
  readonly check: (snapshot: Snapshot) => void;
}

/**
 * Decides messages one at a time. An event that makes the machine throw changes nothing and fails alone. A report of an
 * entry that was replaced is dropped: it must not remove the entry in its place. An event after one that deletes the actor
 * finds a new one; if it changes nothing, the actor stays deleted.
 */
export function decideBatch(
  behavior: Behavior,
  from: Snapshot,
  messages: readonly Message[],
  { address, isDue, nextSerial, onThrow, check }: Deciding,
): Batch {
  let snapshot = from;
  let wakeUp = false;
  let ignoredWakeAt: number | undefined;
  const answers = messages.map(({ event, isTrial, reported }): Answer => {
    if (event === undefined) return VIEW;
    const before = snapshot.value === behavior.kind.deletedState ? behavior.initial(address) : snapshot;
    if (isTrial) return tried(behavior, before, event, { onThrow, check });
    const { outbox } = before.context;
    if (reported !== undefined && isReplaced(outbox, reported)) return DROPPED;
    let answer: Answer;
    try {
      const decided = behavior.next(before, event);
      const next =
        event.author === undefined
          ? decided
          : withNotes(behavior.kind, address, before, decided, event, nextSerial);
      answer = { is: 'reply', value: next.context.reply };
      next.context.reply = undefined;
      if (next.context.wakeAt !== before.context.wakeAt) {
        next.context.plannedAt = next.context.wakeAt === undefined ? undefined : event.now;
      }
      if (next.context.outbox !== outbox) giveSerials(next.context.outbox, nextSerial);
      if (before === snapshot || behavior.differs(before, next)) snapshot = next;
    } catch (error) {
      onThrow(event.type, error);
      answer = { is: 'thrown', error };
    }
    if (event.type === 'wake') {
      const { wakeAt } = snapshot.context;
      wakeUp = isDue;
      ignoredWakeAt = wakeAt !== undefined && wakeAt <= event.now ? wakeAt : undefined;
    }
    return answer;
  });
  return { messages, answers, snapshot, wakeUp, ignoredWakeAt };
}

/** Decides an event that is only tried out. */
function tried(
  behavior: Behavior,
  from: Snapshot,
  event: ActorEvent,
  { onThrow, check }: Pick<Deciding, 'onThrow' | 'check'>,
): Answer {
  try {
    const next = behavior.next(from, event);
    const { reply } = next.context;
    if (!(reply instanceof Refusal)) check(next);
    return { is: 'reply', value: reply };
  } catch (error) {
    if (!(error instanceof Refusal)) onThrow(event.type, error);
    return { is: 'thrown', error };
  }
}

/**
 * Returns the time of the next wake-up after a batch, ms since the epoch; `stored` is the time before it. The retry of
 * the outbox counts from the batch that found the outbox empty, or from the last wake-up: if every event moved it, a busy
 * actor would never retry.
 */
export function nextWakeAt(
  batch: Batch,
  before: { readonly context: ActorContext },
  stored: number | undefined,
  now: number,
  limits: Pick<ActorLimits, 'retryMs' | 'postponeMs'>,
): number | undefined {
  const { wakeAt, outbox } = batch.snapshot.context;
  // A machine that ignores its wake-up, or throws on it, would be first in every sweep.
  const isPostponed = batch.wakeUp && wakeAt !== undefined && wakeAt === batch.ignoredWakeAt;
  const own = isPostponed ? now + limits.postponeMs : wakeAt && Math.ceil(wakeAt);
  if (outbox.length === 0) return own;
  const retryAt = now + limits.retryMs;
  const plannedAt = batch.wakeUp || before.context.outbox.length === 0 ? retryAt : (stored ?? retryAt);
  return Math.min(own ?? Infinity, plannedAt, retryAt);
}

/** Settles the promises of the senders; called once the batch is durable. `view` returns the actor as committed. */
export function settle(batch: Batch, view: () => unknown): void {
  batch.messages.forEach((message, i) => {
    const answer = batch.answers[i]!;
    if (answer.is === 'view') message.resolve(view());
    else if (answer.is === 'thrown') message.reject(answer.error);
    else if (answer.value instanceof Refusal) message.reject(answer.value);
    else message.resolve(answer.value);
  });
}
