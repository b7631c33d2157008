import { TerminalError } from '../errors.js';
import { type Address, type NextDocument, NO_RARE, type Stored } from '../store/port.js';
import type { ActorContext, ActorEvent, ActorKind } from './kind.js';
import { withoutLateWake } from './clock-set-back.js';
import { transitionOf } from './transition.js';

/** The state and context of a machine; immutable but for `context.reply`. */
export interface Snapshot {
  /** The state; the name is XState's. */
  readonly value: string;
  readonly context: ActorContext;
}

/** A kind's machine as a pure function over snapshots, and its snapshots as documents. */
export type Behavior = ReturnType<typeof behavior>;

/**
 * The members of a document that this version of its machine does not know, as JSON without braces: a newer release wrote them. A
 * commit writes them back. The member is a symbol: machines copy it with their contexts, and do not see it.
 */
const UNKNOWN = Symbol('unknown members');

interface Unknown {
  readonly frequent: string;
  readonly rare: string;
}

type MaybeNewer = ActorContext & { readonly [UNKNOWN]?: Unknown };

/** Returns the context in a document, unchecked: another version of its machine may have written it. */
export function contextIn({ frequent, rare }: Pick<Stored, 'frequent' | 'rare'>): object {
  return JSON.parse(joined(rare, frequent)) as object;
}

/**
 * Returns the text of one object with the members of two. A member of `second` replaces one of the same name. One parse of it is
 * faster than two and a copy.
 */
function joined(first: string, second: string): string {
  if (first === NO_RARE) return second;
  return second === NO_RARE ? first : `${first.slice(0, -1)},${second.slice(1)}`;
}

/** Returns the version of the documents of a kind that use nothing newer. */
function leastVersionOf({ leastVersion, version }: Pick<ActorKind, 'leastVersion' | 'version'>): number {
  return leastVersion ?? version;
}

/** True for the version of a document that needs no migration. */
export function isCurrent(kind: Pick<ActorKind, 'leastVersion' | 'version'>, version: number): boolean {
  return version >= leastVersionOf(kind) && version <= kind.version;
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

type InitialContext =
  | ActorContext
  | ((given: { readonly input: { readonly address: Address } }) => ActorContext);

/** Creates the behavior of a kind. Throws if its machine has transitions that `transitionOf` does not support. */
export function behavior(kind: ActorKind) {
  const { machine, rarelyWritten: rare = [], lazilyWritten: lazy = [], place: placed } = kind;
  const least = leastVersionOf(kind);
  const initialContext = machine.config.context as InitialContext;
  const create = (address: Address): Snapshot => {
    const input = { address };
    const context = typeof initialContext === 'function' ? initialContext({ input }) : initialContext;
    return { value: kind.stateOf?.(context as never) ?? (machine.config.initial as string), context };
  };
  const template = create({ kind: kind.name, tenant: '', name: '' });
  // Nearly all machines have one initial context for all actors.
  const initial = typeof initialContext === 'function' ? create : () => template;
  const keys = [...Object.keys(template.context).filter((key) => key !== 'reply'), 'plannedAt'];
  const frequent = keys.filter((key) => !rare.includes(key));
  const committed = keys.filter((key) => !lazy.includes(key));
  const frequentText = texts(kind, frequent);
  const rareText = texts(kind, rare);
  const known: ReadonlySet<string> = new Set([...keys, ...rare]);
  /** True once a document with unknown members was read. No commit looks for them before. */
  let isNewerRead = false;
  const unknownOf = ({ context }: Snapshot, part: keyof Unknown): string | undefined =>
    isNewerRead ? (context as MaybeNewer)[UNKNOWN]?.[part] : undefined;
  const copy = (context: ActorContext): ActorContext => {
    if (kind.copy === undefined) return { ...context };
    const made = kind.copy(context as never);
    return isNewerRead ? Object.assign(made, { [UNKNOWN]: (context as MaybeNewer)[UNKNOWN] }) : made;
  };
  const changed = (a: Snapshot, b: Snapshot, part: readonly string[]): boolean => {
    const left = a.context as unknown as Record<string, unknown>;
    const right = b.context as unknown as Record<string, unknown>;
    return left !== right && part.some((key) => left[key] !== right[key]);
  };
  const isNewPlace = (to: Snapshot, from: Snapshot | undefined): boolean =>
    from === undefined || changed(to, from, placed!.follows);

  return {
    kind,
    initial,
    /** Returns the snapshot after an event. Throws what a guard or a decision of the machine throws. */
    next: transitionOf({ ...kind, copy }) as (snapshot: Snapshot, event: ActorEvent) => Snapshot,

    /** Returns the snapshot without times in the future of `now`; the same snapshot if there are none. */
    afterSetBack(snapshot: Snapshot, now: number): Snapshot {
      const { value, context } = snapshot;
      const after = (kind.afterSetBack ?? withoutLateWake)(context as never, now);
      return after === context ? snapshot : { value, context: after };
    },

    /** Returns the snapshot in a document. Throws `Unreadable`. */
    restore(stored: Stored): Snapshot {
      try {
        const read = contextIn(stored) as Record<string, unknown>;
        const { version } = stored;
        const { state, context } = migrated(kind, { version, state: stored.state, context: read });
        if (!Array.isArray(context['outbox'])) throw new Error('it has no outbox');
        if (!Object.hasOwn(machine.states, state)) throw new Error(`there is no state ${state}`);
        // As after an event: further code sees objects of one hidden class, which V8 reads faster.
        const restored = kind.copy?.(context as never) ?? { wakeAt: undefined, ...context, reply: undefined };
        if (version > least) Object.assign(restored, { needsVersion: version });
        if (version >= least && Object.keys(read).some((key) => !known.has(key))) {
          Object.assign(restored, { [UNKNOWN]: unknownIn(stored, known) });
          isNewerRead = true;
        }
        return { value: state, context: restored as unknown as ActorContext };
      } catch (error) {
        throw new Unreadable(kind, stored, error);
      }
    },

    /**
     * True if two snapshots differ in state or context, apart from the reply and the members that are written lazily.
     */
    differs: (a: Snapshot, b: Snapshot) => a !== b && (a.value !== b.value || changed(a, b, committed)),

    /** Returns the document of `to`; it has a text only if that differs from the text of `from`, the stored snapshot. */
    document: (to: Snapshot, from: Snapshot | undefined, wakeAt: number | undefined): NextDocument => ({
      version: to.context.needsVersion ?? least,
      state: to.value,
      wakeAt,
      frequent:
        from === undefined || changed(to, from, frequent)
          ? frequentText(to, unknownOf(to, 'frequent'))
          : undefined,
      rare: from === undefined || changed(to, from, rare) ? rareText(to, unknownOf(to, 'rare')) : undefined,
      unindexed: to.value === kind.unindexedState,
      queue: kind.queue?.(to.value, to.context as never),
      place: placed !== undefined && isNewPlace(to, from) ? placed.of(to.context as never) : undefined,
    }),
  };
}

function unknownIn({ frequent, rare }: Stored, known: ReadonlySet<string>): Unknown {
  const of = (text: string): string => {
    const members = Object.entries(JSON.parse(text) as object).filter(([key]) => !known.has(key));
    return JSON.stringify(Object.fromEntries(members)).slice(1, -1);
  };
  return { frequent: of(frequent), rare: of(rare) };
}

/** Returns `JSON.stringify(value)`. Whole numbers and empty lists are written without that call, which takes longer. */
function jsonText(value: unknown): string | undefined {
  if (Number.isInteger(value)) return String(value);
  return Array.isArray(value) && value.length === 0 ? '[]' : JSON.stringify(value);
}

/** Returns a function that writes these members of a context, and JSON without braces, as one JSON object. */
function texts({ writers = {} }: ActorKind, part: readonly string[]) {
  const fields = part.map((key) => {
    const write = (writers[key] ?? jsonText) as (value: unknown) => string | undefined;
    const label = `${JSON.stringify(key)}:`;
    return { key, first: `{${label}`, next: `,${label}`, write };
  });
  return ({ context }: Snapshot, unknown = ''): string => {
    let text = '';
    for (const { key, first, next, write } of fields) {
      const value = (context as unknown as Record<string, unknown>)[key];
      const written = value === undefined ? undefined : write(value);
      if (written !== undefined) text += text === '' ? first + written : next + written;
    }
    if (unknown !== '') text += text === '' ? `{${unknown}` : `,${unknown}`;
    return text === '' ? '{}' : `${text}}`;
  };
}

function migrated(
  kind: ActorKind,
  old: { version: number; state: string; context: Record<string, unknown> },
) {
  if (isCurrent(kind, old.version)) return old;
  if (old.version > kind.version) throw new Error('a newer release wrote it');
  if (kind.migrate === undefined) throw new Error('the machine has no migration');
  return kind.migrate(old);
}

const keptTexts = new WeakMap<object, string>();

const TEXT = Symbol('JSON text');
type WithText = readonly unknown[] & { [TEXT]?: string };

/**
 * As `keptText`, for a list: it keeps its text itself. V8 takes the values of a `WeakMap` for used when it collects young objects, and
 * so keeps the text of each actor that was read for one event.
 */
export function keptListText(list: WithText): string {
  return (list[TEXT] ??= JSON.stringify(list));
}

/**
 * Returns the text of `JSON.stringify(value)`, made once for each value: for members that most commits do not change.
 */
export function keptText(value: object): string {
  let text = keptTexts.get(value);
  if (text === undefined) keptTexts.set(value, (text = JSON.stringify(value)));
  return text;
}
