import { randomUUID } from 'node:crypto';
import { Refusal } from '../errors.js';
import { actorId, addressOf } from '../store/port.js';
import type { Address, Store } from '../store/port.js';
import { Activation } from './activation.js';
import { createCommitter } from './committer.js';
import { sizeOf } from './document-size.js';
import type { ActorEvent, ActorKind, ActorView } from './kind.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { ActorLimits } from './limits.js';
import { Outgoing } from './outgoing.js';
import { behavior } from './behavior.js';
import type { Behavior } from './behavior.js';
import { startSweep } from './sweep.js';
import type { RuntimeContext } from './runtime-context.js';

/** The durable actors of one node. */
export interface Actors {
  /**
   * Tells an actor an event and resolves with its machine's reply once the change is durable. Rejects with the
   * `Refusal` that the machine replied, with one of `unavailable` under overload, with `StoreUnavailable` when the
   * store did not answer (the outcome is then unknown), and with whatever a broken machine throws.
   */
  ask<R>(address: Address, event: ActorEvent): Promise<R>;
  /** The actor as committed, behind all that was told before; undefined when it was never committed. */
  read<C>(address: Address): Promise<ActorView<C> | undefined>;
  /** As `read`, but at once, and only where this node knows the actor freshly enough. */
  peek<C>(address: Address): ActorView<C> | undefined;
  /** How many characters of what is to go out one more event of a tenant may bring. */
  roomOf(tenant: string): number;
  /** What an operator wants to know of the runtime itself. */
  stats(): ActorStats;
  /** Takes no more events, waits for the commits under way, leaves the rest to the wake-ups of the next start. */
  close(): Promise<void>;
}

export interface ActorStats {
  readonly resident: number;
  readonly commitsPending: number;
  readonly effectsRunning: number;
}

export interface ActorsOptions {
  readonly store: Store;
  readonly kinds: readonly ActorKind[];
  /** ms since the epoch. */
  readonly now?: () => number;
  readonly limits?: Partial<ActorLimits>;
  /** Told of what no caller sees: broken machines, effects that failed, sweeps that failed. */
  readonly onFault?: (fault: ActorFault) => void;
}

export interface ActorFault {
  readonly what: 'poison' | 'effect' | 'report' | 'sweep';
  readonly id?: string;
  readonly revision?: number;
  /** Type of the event, `load` where the document could not be read, or of the outbox entry. */
  readonly type?: string;
  readonly error: unknown;
}

/** Starts the runtime on a store. */
export function startActors(options: ActorsOptions): Actors {
  const { store } = options;
  const now = options.now ?? Date.now;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const fault = options.onFault ?? (() => {});
  const behaviors = new Map<string, Behavior>(options.kinds.map((kind) => [kind.name, behavior(kind)]));
  const activations = new Map<string, Activation>();
  const outgoing = new Outgoing(limits.outgoing);
  const node = randomUUID();
  let characters = 0;
  let commits = 0;
  let effects = 0;
  let closing = false;

  const runtimeContext: RuntimeContext = {
    store,
    limits,
    outgoing,
    now,
    committer: createCommitter(store, {
      batch: limits.batch,
      inFlight: Math.min(limits.inFlight, store.atOnce),
      waiting: limits.commits,
    }),
    commitId: () => `${node}.${(commits += 1)}`,
    async perform(kind, entry, context, address, repeated) {
      const id = actorId(address);
      let event: ActorEvent | undefined;
      effects += 1;
      try {
        const effect = kind.effects[entry.type];
        if (effect === undefined) throw new Error(`no effect of type ${entry.type}`);
        event = await effect(entry as never, context as never, { address, actors, repeated });
      } catch (error) {
        // What is broken off by a stop stays in the outbox for the next start.
        if (!closing) fault({ what: 'effect', id, type: entry.type, error });
        return;
      } finally {
        effects -= 1;
      }
      if (event === undefined) return;
      try {
        await send(address, event);
      } catch (error) {
        if (!closing) fault({ what: 'report', id, type: event.type, error });
      }
    },
    rests(activation, queued) {
      // To load it again from another machine would cost more than to keep it.
      const known = activations.get(activation.id);
      if (known !== activation || !activation.idle || (store.shared && !queued)) return;
      forget(known);
    },
    resized(by) {
      characters += by;
      if (by > 0 && characters > limits.characters) makeRoom();
    },
    poisoned: (id, revision, type, error) => fault({ what: 'poison', id, revision, type, error }),
  };

  const forget = (activation: Activation): void => {
    activations.delete(activation.id);
    characters -= sizeOf(activation.lengths);
    outgoing.forget(activation);
  };

  const isOver = (actors: number): boolean => activations.size > actors || characters > limits.characters;

  /**
   * Forgets the idle actors that were used least recently: each gets a second chance when it was used since the last
   * round. Where none is idle the map grows, bounded by what the edge lets in at once. Some are forgotten ahead, since
   * a map has to be searched past all that it lost at its front.
   */
  const makeRoom = (): void => {
    if (!isOver(limits.actors - 1)) return;
    const ahead = Math.floor(limits.actors / 64);
    let rounds = Math.min(activations.size, 64 + 2 * ahead);
    for (const [id, activation] of activations) {
      if (rounds === 0 || !isOver(limits.actors - 1 - ahead)) return;
      rounds -= 1;
      if (activation.idle && !activation.touched) {
        forget(activation);
        continue;
      }
      activations.delete(id);
      activation.touched = false;
      activations.set(id, activation);
    }
  };

  const activationOf = (address: Address): Activation | undefined => {
    const id = actorId(address);
    const known = activations.get(id);
    if (known !== undefined) {
      known.touched = true;
      return known;
    }
    const kind = behaviors.get(address.kind);
    if (kind === undefined) return undefined;
    makeRoom();
    const activation = new Activation(address, kind, runtimeContext);
    activations.set(id, activation);
    return activation;
  };

  const send = (address: Address, event: ActorEvent | undefined): Promise<unknown> =>
    activationOf(address)?.send(event) ?? Promise.reject(new Error(`no actors of kind ${address.kind}`));

  const sweep = startSweep({
    store,
    now,
    everyMs: limits.sweepMs,
    handles: (id) => behaviors.has(addressOf(id).kind),
    putOffMs: limits.postponeMs,
    wake: (id) => send(addressOf(id), { type: 'wake', now: now() }),
    onError: (error) => fault({ what: 'sweep', error }),
    // Where no other node can be at work, what a stopped process left in its outboxes is taken up at once.
    headStartMs: store.shared ? 0 : limits.retryMs,
  });

  const actors: Actors = {
    ask<R>(address: Address, event: ActorEvent) {
      return (closing ? Promise.reject(stopping()) : send(address, event)) as Promise<R>;
    },
    read: <C>(address: Address) => send(address, undefined) as Promise<ActorView<C> | undefined>,
    peek: <C>(address: Address) => activations.get(actorId(address))?.peek() as ActorView<C> | undefined,
    roomOf: (tenant) => outgoing.roomOf(tenant),
    stats: () => ({
      resident: activations.size,
      commitsPending: runtimeContext.committer.pending,
      effectsRunning: effects,
    }),
    async close() {
      closing = true;
      await sweep.close();
      await runtimeContext.committer.close();
    },
  };
  return actors;
}

function stopping(): Refusal {
  return new Refusal('unavailable', 'the service is stopping; nothing was done');
}
