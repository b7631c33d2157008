import { expect } from 'chai';
import fc from 'fast-check';
import { transition } from 'xstate';
import { behavior, type Snapshot } from '../../src/actors/behavior.js';
import type { ActorContext, ActorEvent, ActorKind } from '../../src/actors/kind.js';
import { Refusal } from '../../src/errors.js';
import type { Address } from '../../src/store/port.js';
import { mutated, valuesIn } from './stage/mutated.js';
import type { Story } from './stage/snapshot-corpus.features.js';

/** Kinds of actors, and stories of each. */
export interface Transitions {
  readonly kinds: readonly ActorKind[];
  readonly stories: readonly Story[];
  /** By kind: events of the types that no story has, but for `wake` and `performed`. */
  readonly events: Readonly<Record<string, readonly AnyEvent[]>>;
}

interface AnyEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Longest time of a history, ms: beyond every deadline of a machine. */
const SPAN_MS = 60 * 86_400_000;

/** The result of an event. */
type Result =
  | { readonly state: unknown; readonly context: object; readonly reply: unknown }
  | { readonly thrown: true };

/**
 * The property that the runtime's transition of each kind is XState's own: in random histories of the events of its
 * stories, with random members changed, and in contexts and states that no history reaches.
 */
export function transitionFeatures({ kinds, stories, events }: Transitions): void {
  for (const kind of kinds) {
    const own = stories.filter((story) => story.kind === kind.name);
    const machine = behavior(kind);
    const address: Address = { kind: kind.name, tenant: 'acme', name: 'web-1' };
    const contexts = own.flatMap((story) => contextsOf(kind, address, story.events));
    const told = own.flatMap((story) => [...story.events, story.next]);
    const { now } = told[0]!;
    const more = [...(events[kind.name] ?? []), ...commonEvents(contexts)].map((event) => ({
      ...event,
      now,
    }));
    const pool = [...told, ...more];

    describe(`a transition of the kind ${kind.name}`, () => {
      it('is tried with every type of event', () => {
        const types = new Set(pool.map(({ type }) => type));
        const handled = kind.machine.events as readonly string[];
        expect(handled.filter((type) => !types.has(type))).to.deep.equal([]);
      });

      it('is XState’s own in random histories', () => {
        const histories = fc.array(eventOf(pool), { maxLength: 25 });
        fc.assert(
          fc.property(histories, (history) => {
            let snapshot = machine.initial(address);
            for (const event of history) {
              const [fast, own] = both(kind, snapshot, event);
              expect(fast, JSON.stringify(event)).to.deep.equal(own);
              if ('thrown' in fast) continue;
              snapshot = machine.next(snapshot, event);
              snapshot.context.reply = undefined;
            }
          }),
          { numRuns: 100 },
        );
      });

      it('is XState’s own in random states with random contexts', () => {
        const values = valuesIn([...contexts, ...pool]);
        const snapshots = fc.record({
          value: fc.constantFrom(...Object.keys(kind.machine.states)),
          context: mutated(fc.constantFrom(...contexts), values) as fc.Arbitrary<ActorContext>,
        });
        fc.assert(
          fc.property(snapshots, eventOf(pool), (snapshot, event) => {
            const [fast, own] = both(kind, snapshot, event);
            expect(fast, JSON.stringify({ snapshot, event })).to.deep.equal(own);
          }),
          { numRuns: 300 },
        );
      });
    });
  }
}

/** Returns `wake`, and `performed` for each outbox entry of these contexts. */
function commonEvents(contexts: readonly ActorContext[]): AnyEvent[] {
  const ids = contexts.flatMap(({ outbox }) => outbox.map(({ id }) => id));
  return [{ type: 'wake' }, ...['', ...ids].map((entryId) => ({ type: 'performed', entryId }))];
}

/** Events of a pool with some members changed, at random times. */
function eventOf(pool: readonly ActorEvent[]): fc.Arbitrary<ActorEvent> {
  const events = mutated(fc.constantFrom(...pool), valuesIn(pool), [
    'type',
    'now',
  ]) as fc.Arbitrary<ActorEvent>;
  const start = Math.min(...pool.map(({ now }) => now));
  return fc.tuple(events, fc.oneof(fc.nat(10_000), fc.nat(SPAN_MS))).map(([event, later]) => {
    return { ...event, now: start + later };
  });
}

/** Returns the contexts of an actor after each of some events. */
function contextsOf(kind: ActorKind, address: Address, events: readonly ActorEvent[]): ActorContext[] {
  const machine = behavior(kind);
  let snapshot = machine.initial(address);
  const contexts = [snapshot.context];
  for (const event of events) {
    snapshot = machine.next(snapshot, event);
    snapshot.context.reply = undefined;
    contexts.push(snapshot.context);
  }
  return contexts;
}

/** Returns the results of an event from the runtime and from XState. */
function both(kind: ActorKind, snapshot: Snapshot, event: ActorEvent): [Result, Result] {
  const { machine } = kind;
  const runtime = behavior(kind);
  return [
    resultOf(() => runtime.next(snapshot, event)),
    resultOf(() => {
      const [next] = transition(machine, machine.resolveState({ ...snapshot }), event);
      if (next.status === 'error') throw next.error;
      return { value: next.value as string, context: next.context as ActorContext };
    }),
  ];
}

function resultOf(next: () => Snapshot): Result {
  try {
    const { value: state, context } = next();
    const { reply, ...rest } = context;
    // An undefined member is not stored: it is one that is absent.
    const members = Object.entries(rest).filter(([, member]) => member !== undefined);
    const stored = Object.fromEntries(members);
    return { state, context: stored, reply: reply instanceof Refusal ? { refused: String(reply) } : reply };
  } catch {
    // XState wraps the error of a guard.
    return { thrown: true };
  }
}
