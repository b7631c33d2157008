import type { AnyActorScope, AnyMachineSnapshot } from 'xstate';
import { createActor } from 'xstate';
import type { NextDocument, Stored } from '../store/port.js';
import type { Address } from '../store/port.js';
import type { ActorContext, ActorEvent, ActorKind } from './kind.js';
import { fastTransition } from './fast-transition.js';
import { contextIn } from './stored-context.js';

/** What is kept of a machine's snapshot: immutable but for `context.reply`. */
export interface Snapshot {
  /** The state. */
  readonly value: string;
  readonly context: ActorContext;
}

/**
 * A kind's machine as a pure function over snapshots, and its snapshots as documents. One scope serves every actor of
 * the kind, since effects are data and no action ever reaches it.
 */
export interface Behavior {
  readonly kind: ActorKind;
  initial(address: Address): Snapshot;
  /** Throws what a guard or an action of the machine throws. */
  next(snapshot: Snapshot, event: ActorEvent): Snapshot;
  /** Throws `Unreadable`. */
  restore(stored: Stored): Snapshot;
  /** True where the two differ in state or context, the reply aside. */
  differs(a: Snapshot, b: Snapshot): boolean;
  /** The document for `to`, with each text only if it differs from that of `from`, the stored snapshot. */
  document(to: Snapshot, from: Snapshot | undefined, wakeAt: number | undefined): NextDocument;
}

/** A document that this version of its machine cannot go on from. It is left as it is. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  constructor(kind: ActorKind, { revision, version }: Stored, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      `revision ${revision} of a ${kind.name}, of version ${version}, cannot be read by version ${kind.version}: ${why}`,
      { cause },
    );
  }
}

/** Makes the behavior of a kind. */
export function behavior(kind: ActorKind): Behavior {
  const { machine, rarelyWritten: cold } = kind;
  const scope = inertScope(kind);
  const step = fastTransition(machine);
  const made = (address: Address): Snapshot => kept(machine.getInitialSnapshot(scope, { address }));
  const template = made({ kind: kind.name, tenant: '', name: '' });
  // Most machines begin with the same context whoever the actor is.
  const initial = typeof machine.config.context === 'function' ? made : () => template;
  const keys = Object.keys(template.context).filter((key) => key !== 'reply');
  const hot = keys.filter((key) => !cold.includes(key));
  const hotText = texts(kind, hot);
  const coldText = texts(kind, cold);
  const changed = (a: Snapshot, b: Snapshot, part: readonly string[]): boolean => {
    const left = a.context as unknown as Record<string, unknown>;
    const right = b.context as unknown as Record<string, unknown>;
    return left !== right && part.some((key) => left[key] !== right[key]);
  };

  return {
    kind,
    initial,

    next(snapshot, event) {
      const stepped = step(snapshot, event);
      if (stepped !== undefined) return stepped;
      const next = machine.transition(machine.resolveState(snapshot), event, scope);
      if (next.status === 'error') throw next.error;
      return kept(next);
    },

    restore(stored) {
      try {
        const { state, context } = migrated(kind, {
          version: stored.version,
          state: stored.state,
          context: contextIn(stored) as Record<string, unknown>,
        });
        if (!Array.isArray(context['outbox'])) throw new Error('it has no outbox');
        return kept(
          machine.resolveState({
            value: state,
            context: { wakeAt: undefined, ...context, reply: undefined },
          }),
        );
      } catch (error) {
        throw new Unreadable(kind, stored, error);
      }
    },

    differs: (a, b) => a !== b && (a.value !== b.value || changed(a, b, keys)),

    document: (to, from, wakeAt) => ({
      version: kind.version,
      state: to.value,
      wakeAt,
      hot: from === undefined || changed(to, from, hot) ? hotText(to) : undefined,
      cold: from === undefined || changed(to, from, cold) ? coldText(to) : undefined,
      usual: to.value === kind.unindexedState,
      queue: kind.queue?.(to.value, to.context as never),
    }),
  };
}

/** Writes these fields of a snapshot's context as one JSON object. */
function texts({ writers = {} }: ActorKind, part: readonly string[]): (snapshot: Snapshot) => string {
  const fields = part.map((key) => {
    const write = (writers[key] ?? JSON.stringify) as (value: unknown) => string | undefined;
    return { key, name: `${JSON.stringify(key)}:`, write };
  });
  return ({ context }) => {
    let text = '';
    for (const { key, name, write } of fields) {
      const value = (context as unknown as Record<string, unknown>)[key];
      const written = value === undefined ? undefined : write(value);
      if (written !== undefined) text += (text === '' ? '{' : ',') + name + written;
    }
    return text === '' ? '{}' : `${text}}`;
  };
}

function kept({ value, context }: AnyMachineSnapshot): Snapshot {
  return { value: value as string, context: context as ActorContext };
}

function migrated(
  kind: ActorKind,
  old: { version: number; state: string; context: Record<string, unknown> },
) {
  if (old.version === kind.version) return old;
  if (old.version > kind.version) throw new Error('a newer release wrote it');
  if (kind.migrate === undefined) throw new Error('the machine has no migration');
  return kind.migrate(old);
}

/** A scope for `machine.transition`; making one per call, as xstate's `transition()` does, triples the cost. */
function inertScope(kind: ActorKind): AnyActorScope {
  const self = createActor(kind.machine, { input: { address: { kind: kind.name, tenant: '', name: '' } } });
  const forbidden = (): never => {
    throw new Error(`the ${kind.name} machine tried an effect; effects belong into its outbox`);
  };
  return {
    self,
    id: self.id,
    sessionId: self.sessionId,
    system: self.system,
    logger: forbidden,
    defer: forbidden,
    emit: forbidden,
    stopChild: forbidden,
    actionExecutor: forbidden,
  } as AnyActorScope;
}
