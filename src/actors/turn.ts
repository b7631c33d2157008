import { Refusal } from '../errors.js';
import type { ActorContext, ActorEvent } from './kind.js';
import type { ActorLimits } from './limits.js';
import type { Behavior, Snapshot } from './behavior.js';

/** One message in an actor's mailbox. */
export interface Envelope {
  /** undefined: the sender only looks. */
  readonly event: ActorEvent | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What came of replyingRefusals some messages, before any of it is durable. */
export interface Turn {
  /** In order of arrival: those of whom the machine threw among them, with what it threw. */
  readonly envelopes: readonly Envelope[];
  readonly answers: readonly Answer[];
  readonly snapshot: Snapshot;
  /** True where a wake-up that was due was among the events. */
  readonly woken: boolean;
  /** The machine's `wakeAt` where a wake-up that came then or later has not moved it. */
  readonly ignored: number | undefined;
}

type Answer =
  | { readonly is: 'reply'; readonly value: unknown }
  | { readonly is: 'look' }
  | { readonly is: 'poison'; readonly error: unknown };

const LOOK: Answer = { is: 'look' };

/**
 * Decides messages one at a time. An event that makes the machine throw changes nothing and fails alone. `due` is
 * false where another node has answered the wake-up already: the machine is told, but the outbox is left to that node.
 */
export function decide(
  behavior: Behavior,
  from: Snapshot,
  envelopes: readonly Envelope[],
  due: boolean,
  poisoned: (eventType: string, error: unknown) => void,
): Turn {
  let snapshot = from;
  let woken = false;
  let ignored: number | undefined;
  const answers = envelopes.map(({ event }): Answer => {
    if (event === undefined) return LOOK;
    let found: Answer;
    try {
      const next = behavior.next(snapshot, event);
      found = { is: 'reply', value: next.context.reply };
      next.context.reply = undefined;
      snapshot = next;
    } catch (error) {
      poisoned(event.type, error);
      found = { is: 'poison', error };
    }
    if (event.type === 'wake') {
      const { wakeAt } = snapshot.context;
      woken = due;
      ignored = wakeAt !== undefined && wakeAt <= event.now ? wakeAt : undefined;
    }
    return found;
  });
  return { envelopes, answers, snapshot, woken, ignored };
}

/**
 * When the actor is to be woken after the turn, ms since the epoch; `promoted` is when it was to be woken before it.
 * What waits in the outbox has its time from the turn that found the outbox empty, or was woken: would every event
 * set it anew, an actor that is never left in peace would never come to it.
 */
export function nextWake(
  turn: Turn,
  before: { readonly context: ActorContext },
  promoted: number | undefined,
  now: number,
  limits: Pick<ActorLimits, 'retryMs' | 'postponeMs'>,
): number | undefined {
  const { wakeAt, outbox } = turn.snapshot.context;
  // A machine that was woken and did not move on, as one that throws on `wake`, must not hold up the sweep.
  const postponed = turn.woken && wakeAt !== undefined && wakeAt === turn.ignored;
  const own = postponed ? now + limits.postponeMs : wakeAt && Math.ceil(wakeAt);
  if (outbox.length === 0) return own;
  const retry = now + limits.retryMs;
  const standing = turn.woken || before.context.outbox.length === 0 ? retry : (promoted ?? retry);
  return Math.min(own ?? Infinity, standing, retry);
}

/** Tells the senders, once what they are told is durable. */
export function answer(turn: Turn, look: () => unknown): void {
  turn.envelopes.forEach((envelope, i) => {
    const found = turn.answers[i]!;
    if (found.is === 'look') envelope.resolve(look());
    else if (found.is === 'poison') envelope.reject(found.error);
    else if (found.value instanceof Refusal) envelope.reject(found.value);
    else envelope.resolve(found.value);
  });
}
