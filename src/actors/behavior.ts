import { type AnyActorScope, type AnyMachineSnapshot, createActor } from 'xstate';
import { TerminalError } from '../errors.js';
import type { Address, NextDocument, Stored } from '../store/port.js';
import type { ActorContext, ActorEvent, ActorKind } from './kind.js';
import { fastTransition } from './fast-transition.js';
import { withoutLateWake } from './set-back.js';

/** The state and context of a machine; immutable but for `context.reply`. */
export interface Snapshot {
  /** The state, under XState's name for it. */
  readonly value: string;
  readonly context: ActorContext;
}

/** A kind's machine as a pure function over snapshots, and its snapshots as documents. */
export interface Behavior {
  readonly kind: ActorKind;
  initial(address: Address): Snapshot;
  /** Returns the snapshot after an event. Throws what a guard or an action of the machine throws. */
  next(snapshot: Snapshot, event: ActorEvent): Snapshot;
  /** Returns the snapshot without times in the future of `now`; the same snapshot if there are none. */
  afterSetBack(snapshot: Snapshot, now: number): Snapshot;
  /** Returns the snapshot in a document. Throws `Unreadable`. */
  restore(stored: Stored): Snapshot;
  /** True if two snapshots differ in state or context, the reply and the members that are written lazily aside. */
  differs(a: Snapshot, b: Snapshot): boolean;
  /** Returns the document of `to`; it has a text only if that differs from the text of `from`, the stored snapshot. */
  document(to: Snapshot, from: Snapshot | undefined, wakeAt: number | undefined): NextDocument;
}

/** Returns the context in a document, unchecked: another version of its machine may have written it. */
export function contextIn({ hot, cold }: Pick<Stored, 'hot' | 'cold'>): object {
  return { ...(JSON.parse(cold) as object), ...(JSON.parse(hot) as object) };
}

/** Thrown for a document that this version of its machine cannot read. The document stays as it is. */
export class Unreadable extends TerminalError {
  override readonly name = 'Unreadable';
  readonly code = 'unreadable-actor';

  constructor(kind: ActorKind, { revision, version }: Stored, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      `revision ${revision} of a ${kind.name}, of version ${version}, cannot be read by version ${kind.version}: ${why}`,
      { cause },
    );
  }
}

/** Creates the behavior of a kind. */
export function behavior(kind: ActorKind): Behavior {
  const { machine, rarelyWritten: cold, lazilyWritten: lazy = [] } = kind;
  const scope = inertScope(kind);
  const fast = fastTransition(machine);
  const create = (address: Address): Snapshot => snapshotIn(machine.getInitialSnapshot(scope, { address }));
  const template = create({ kind: kind.name, tenant: '', name: '' });
  // Most machines have one initial context for all actors.
  const initial = typeof machine.config.context === 'function' ? create : () => template;
  const keys = [...Object.keys(template.context).filter((key) => key !== 'reply'), 'plannedAt'];
  const hot = keys.filter((key) => !cold.includes(key));
  const committed = keys.filter((key) => !lazy.includes(key));
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
      const next = fast(snapshot, event);
      if (next !== undefined) return next;
      const slow = machine.transition(machine.resolveState(snapshot), event, scope);
      if (slow.status === 'error') throw slow.error;
      return snapshotIn(slow);
    },

    afterSetBack(snapshot, now) {
      const { value, context } = snapshot;
      const after = (kind.afterSetBack ?? withoutLateWake)(context as never, now);
      return after === context ? snapshot : { value, context: after };
    },

    restore(stored) {
      try {
        const { state, context } = migrated(kind, {
          version: stored.version,
          state: stored.state,
          context: contextIn(stored) as Record<string, unknown>,
        });
        if (!Array.isArray(context['outbox'])) throw new Error('it has no outbox');
        return snapshotIn(
          machine.resolveState({
            value: state,
            context: { wakeAt: undefined, ...context, reply: undefined },
          }),
        );
      } catch (error) {
        throw new Unreadable(kind, stored, error);
      }
    },

    differs: (a, b) => a !== b && (a.value !== b.value || changed(a, b, committed)),

    document: (to, from, wakeAt) => ({
      version: kind.version,
      state: to.value,
      wakeAt,
      hot: from === undefined || changed(to, from, hot) ? hotText(to) : undefined,
      cold: from === undefined || changed(to, from, cold) ? coldText(to) : undefined,
      unindexed: to.value === kind.unindexedState,
      queue: kind.queue?.(to.value, to.context as never),
    }),
  };
}

/** Returns a function that writes these members of a context as one JSON object. */
function texts({ writers = {} }: ActorKind, part: readonly string[]): (snapshot: Snapshot) => string {
  const fields = part.map((key) => {
    const write = (writers[key] ?? jsonOf) as (value: unknown) => string | undefined;
    const name = `${JSON.stringify(key)}:`;
    return { key, first: `{${name}`, next: `,${name}`, write };
  });
  return ({ context }) => {
    let text = '';
    for (const { key, first, next, write } of fields) {
      const value = (context as unknown as Record<string, unknown>)[key];
      const written = value === undefined ? undefined : write(value);
      if (written !== undefined) text += text === '' ? first + written : next + written;
    }
    return text === '' ? '{}' : `${text}}`;
  };
}

/** As `JSON.stringify`, which takes several times as long for the short values that most members have. */
function jsonOf(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'null';
  if (Array.isArray(value) && value.length === 0) return '[]';
  return JSON.stringify(value);
}

function snapshotIn({ value, context }: AnyMachineSnapshot): Snapshot {
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

/** A scope for `machine.transition`, one for all actors of a kind: one per call, as XState's own, triples the cost. */
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
