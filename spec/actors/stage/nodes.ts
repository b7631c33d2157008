import type { ActorKind, Actors } from '../../../src/actors/kind.js';
import { type ActorFault, type CommitChange, startActors } from '../../../src/actors/runtime.js';
import type { ActorLimits } from '../../../src/actors/overload.js';
import type { Address, Store } from '../../../src/store/port.js';
import { Queue } from './queue.js';
import { type Carry, type Parcel, type TallyContext, type TallyEvent, tallyKind } from './tally.js';

/** A clock that a spec sets, ms since the epoch. */
export interface Clock {
  now: number;
}

/** The actors of one process. */
export interface Node {
  readonly actors: Actors;
  readonly clock: Clock;
  readonly faults: Queue<ActorFault>;
  /** Parcels that were carried. */
  readonly carried: Queue<Parcel>;
  /** Sends an event to the tally of a name. */
  ask(name: string, event: Told): Promise<unknown>;
  /** Reads the context of the tally of a name. */
  look(name: string): Promise<TallyContext | undefined>;
}

type Told = TallyEvent extends infer E
  ? E extends TallyEvent
    ? Omit<E, 'now'> & { now?: number }
    : never
  : never;

export interface NodeOptions {
  readonly store: Store;
  readonly clock?: Clock;
  readonly limits?: Partial<ActorLimits>;
  readonly carry?: Carry;
  readonly onCommit?: (change: CommitChange) => void;
  /** Instead of the tallies. */
  readonly kinds?: readonly ActorKind[];
}

/** Start of the clock, ms since the epoch. */
export const START = Date.UTC(2026, 0, 15);

/** Returns the address of a tally. */
export function tally(name: string): Address {
  return { kind: 'tally', tenant: 'acme', name };
}

/** Returns the document id of a tally. */
export function idOf(name: string): string {
  return `tally/acme/${name}`;
}

/** Returns a function that starts nodes, by default without sweeps; each node is closed after its spec. */
export function nodes(): (options: NodeOptions) => Node {
  let started: Actors[] = [];
  afterEach(async () => {
    await Promise.all(started.map((actors) => actors.close()));
    started = [];
  });
  return ({ store, clock = { now: START }, limits, carry, kinds, onCommit }) => {
    const faults = new Queue<ActorFault>();
    const carried = new Queue<Parcel>();
    const carryAway: Carry =
      carry ??
      ((parcel) => {
        carried.push(parcel);
        return Promise.resolve({ type: 'performed', now: clock.now, entryId: parcel.id });
      });
    const actors = startActors({
      store,
      kinds: kinds ?? [tallyKind(carryAway)],
      now: () => clock.now,
      limits: { sweepMs: 600_000, ...limits },
      onFault: (fault) => faults.push(fault),
      ...(onCommit && { onCommit }),
    });
    started.push(actors);
    return {
      actors,
      clock,
      faults,
      carried,
      ask: (name, event) => actors.ask(tally(name), { now: clock.now, ...event }),
      look: async (name) => (await actors.read<TallyContext>(tally(name)))?.context,
    };
  };
}
