import { expect } from 'chai';
import type { ActorContext, ActorEvent, ActorKind } from '../../../src/actors/kind.js';
import { behavior, type Snapshot } from '../../../src/actors/behavior.js';
import { Refusal } from '../../../src/errors.js';
import type { Address, NextDocument, Stored } from '../../../src/store/port.js';

/** A machine driven as the runtime does, without a store: each event finds a context restored from a document. */
export interface DrivenActor<C, E extends ActorEvent> {
  readonly state: string;
  readonly context: C;
  /** Returns the reply; throws a `Refusal` that the machine replies. */
  readonly ask: (event: E) => unknown;
  /** Sends several events that are committed together, as those that arrive during a commit. */
  readonly askTogether: (events: readonly E[]) => void;
}

/**
 * Creates an actor of a kind; each change is written to a document and restored from it. With `setsBack`, the clock of an event
 * that is behind the times in the context was set back; else such an event is only out of order.
 */
export function driveActor<C extends ActorContext, E extends ActorEvent>(
  kind: ActorKind,
  address: Address,
  { setsBack = false } = {},
): DrivenActor<C, E> {
  const machine = behavior(kind);
  let stored: Stored | undefined;
  let snapshot = machine.initial(address);

  const written = (document: NextDocument): Stored => {
    const [frequent, rare] = [document.frequent ?? stored!.frequent, document.rare ?? stored!.rare];
    return { ...document, frequent, rare, revision: (stored?.revision ?? 0) + 1 };
  };

  const decide = (event: E): unknown => {
    const before = setsBack ? machine.afterSetBack(snapshot, event.now) : snapshot;
    const next = machine.next(before, event);
    const { reply } = next.context;
    next.context.reply = undefined;
    if (reply instanceof Refusal) {
      expect(machine.differs(before, next), 'a refusal changed the actor').to.equal(false);
      throw reply;
    }
    snapshot = next;
    return reply;
  };

  const commit = (before: Snapshot): void => {
    if (!machine.differs(before, snapshot)) return;
    const decided = snapshot;
    const document = machine.document(decided, stored && before, decided.context.wakeAt);
    stored = written(document);
    snapshot = machine.restore(stored);
    expect(snapshot.value).to.equal(decided.value);
    // A commit of rarely written members alone does not write the lazily written ones.
    const unwritten = document.frequent === undefined ? (kind.lazilyWritten ?? []) : [];
    expect(plain(snapshot.context, unwritten)).to.deep.equal(plain(decided.context, unwritten));
  };

  return {
    get state() {
      return snapshot.value;
    },
    get context() {
      return snapshot.context as unknown as C;
    },
    ask(event) {
      const before = snapshot;
      const reply = decide(event);
      commit(before);
      return reply;
    },
    askTogether(events) {
      const before = snapshot;
      for (const event of events) decide(event);
      commit(before);
    },
  };
}

function plain(context: ActorContext, without: readonly string[]): unknown {
  const members = JSON.parse(JSON.stringify(context)) as object;
  return Object.fromEntries(Object.entries(members).filter(([key]) => !without.includes(key)));
}
