import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { ActorContext, ActorEvent, ActorKind } from '../../src/actors/kind.js';
import { mechanism } from '../../src/actors/snapshot.js';
import type { Snapshot } from '../../src/actors/snapshot.js';
import { Refusal } from '../../src/errors.js';
import type { Address, Stored } from '../../src/store/port.js';

/** A machine driven as the runtime drives it, without a store: every event sees what a document gave back. */
export interface DrivenActor<C, E extends ActorEvent> {
  readonly state: string;
  readonly context: C;
  /** The reply; throws the `Refusal` that the machine replied. */
  tell(event: E): unknown;
}

/** Starts an actor of a kind; after each event it is written to a document and restored from it. */
export function driveActor<C extends ActorContext, E extends ActorEvent>(
  kind: ActorKind,
  address: Address,
): DrivenActor<C, E> {
  const machine = mechanism(kind);
  let stored: Stored | undefined;
  let snapshot = machine.initial(address);

  const written = (next: Snapshot): Stored => {
    const document = machine.document(next, stored === undefined ? undefined : snapshot, next.context.wakeAt);
    return { ...document, cold: document.cold ?? stored!.cold, revision: (stored?.revision ?? 0) + 1 };
  };

  return {
    get state() {
      return snapshot.value as string;
    },
    get context() {
      return snapshot.context as unknown as C;
    },
    tell(event) {
      const next = machine.next(snapshot, event);
      const { reply } = next.context;
      next.context.reply = undefined;
      if (reply instanceof Refusal) {
        expect(machine.differs(snapshot, next), 'a refusal changed the actor').to.equal(false);
        throw reply;
      }
      if (!machine.differs(snapshot, next)) return reply;
      stored = written(next);
      snapshot = machine.restore(stored);
      expect(snapshot.value).to.equal(next.value);
      // chai's own comparison takes seconds for a thousand subscriptions.
      const [restored, decided] = [plain(snapshot.context), plain(next.context)];
      if (!isDeepStrictEqual(restored, decided)) expect(restored).to.deep.equal(decided);
      return reply;
    },
  };
}

function plain(context: ActorContext): unknown {
  return JSON.parse(JSON.stringify(context));
}
