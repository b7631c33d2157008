import { Refusal } from '../errors.js';
import type { ActorEvent } from './kind.js';
import type { Mechanism, Snapshot } from './snapshot.js';

/** One message in an actor's mailbox. */
export interface Envelope {
  /** undefined: the sender only looks. */
  readonly event: ActorEvent | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What came of deciding some messages, before any of it is durable. */
export interface Turn {
  /** In order of arrival: those of whom the machine threw among them, with what it threw. */
  readonly envelopes: readonly Envelope[];
  readonly answers: readonly Answer[];
  readonly snapshot: Snapshot;
  /** True where a wake-up was among the events. */
  readonly woken: boolean;
}

type Answer =
  | { readonly is: 'reply'; readonly value: unknown }
  | { readonly is: 'look' }
  | { readonly is: 'poison'; readonly error: unknown };

const LOOK: Answer = { is: 'look' };

/** Decides messages one at a time. An event that makes the machine throw changes nothing and fails alone. */
export function decide(
  mechanism: Mechanism,
  from: Snapshot,
  envelopes: readonly Envelope[],
  poisoned: (eventType: string, error: unknown) => void,
): Turn {
  let snapshot = from;
  let woken = false;
  const answers = envelopes.map(({ event }): Answer => {
    if (event === undefined) return LOOK;
    if (event.type === 'wake') woken = true;
    try {
      const next = mechanism.next(snapshot, event);
      const value = next.context.reply;
      next.context.reply = undefined;
      snapshot = next;
      return { is: 'reply', value };
    } catch (error) {
      poisoned(event.type, error);
      return { is: 'poison', error };
    }
  });
  return { envelopes, answers, snapshot, woken };
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
