import { setup } from 'xstate';
import { decides, following } from '../../../src/actors/decides.js';
import { type PerformedEvent, removePerformed } from '../../../src/actors/outbox.js';
import type {
  ActorContext,
  ActorEvent,
  ActorKind,
  AgedSnapshot,
  EffectRun,
  OutboxEntry,
} from '../../../src/actors/kind.js';
import { Refusal } from '../../../src/errors.js';

/** An actor that counts, and fails on purpose. */
export interface TallyContext extends ActorContext {
  readonly count: number;
  /** Every amount that was added, in order. */
  readonly added: readonly number[];
  readonly wakes: number;
  /** Its reaction to a wake-up. */
  readonly onWake: 'count' | 'nothing' | 'throw';
  readonly outbox: readonly Parcel[];
  /** Stored in the rarely written text. */
  readonly notes: readonly string[];
  /** Not expressible in JSON once spoiled. */
  readonly spoiled: unknown;
}

export interface Parcel extends OutboxEntry {
  readonly type: 'carry' | 'unheard-of';
}

export type TallyEvent =
  | PerformedEvent
  | (ActorEvent &
      /** Replies the count; refused if it would exceed `most`. */
      (
        | { readonly type: 'add'; readonly amount: number; readonly most?: number }
        | { readonly type: 'note'; readonly text: string }
        /** Removes all notes but the first ones. */
        | { readonly type: 'tear'; readonly left: number }
        | { readonly type: 'throw' }
        | { readonly type: 'spoil' }
        | { readonly type: 'post'; readonly parcel: string; readonly as?: Parcel['type'] }
        | { readonly type: 'sleep'; readonly until: number; readonly onWake?: TallyContext['onWake'] }
        | { readonly type: 'wake' }
        | { readonly type: 'remove' }
      ));

type EventOf<T extends TallyEvent['type']> = Extract<TallyEvent, { readonly type: T }>;
type Change = Partial<TallyContext>;

const stateOf = ({ count }: TallyContext): 'empty' | 'counting' => (count > 0 ? 'counting' : 'empty');

const machine = setup({ types: { context: {} as TallyContext, events: {} as TallyEvent } }).createMachine({
  id: 'tally',
  context: {
    count: 0,
    added: [],
    wakes: 0,
    onWake: 'count',
    notes: [],
    spoiled: undefined,
    outbox: [],
    wakeAt: undefined,
    reply: undefined,
  },
  initial: 'empty',
  states: {
    ...following(stateOf, ['empty', 'counting']),
    gone: {},
  },
  on: {
    add: {
      actions: decides((context: TallyContext, event: EventOf<'add'>): Change => {
        const count = context.count + event.amount;
        if (count > (event.most ?? Infinity)) throw new Refusal('conflict', `${count} is too much`);
        return { count, added: [...context.added, event.amount], reply: count };
      }),
    },
    note: {
      actions: decides(({ notes }: TallyContext, { text }: EventOf<'note'>): Change => ({
        notes: [...notes, text],
      })),
    },
    tear: {
      actions: decides(({ notes }: TallyContext, { left }: EventOf<'tear'>): Change =>
        left < notes.length ? { notes: notes.slice(0, left) } : {},
      ),
    },
    throw: {
      actions: decides((): Change => {
        throw new Error('broken on purpose');
      }),
    },
    spoil: { actions: decides((): Change => ({ spoiled: 1n })) },
    post: {
      actions: decides(({ outbox }: TallyContext, { parcel, as = 'carry' }: EventOf<'post'>): Change => ({
        outbox: [...outbox, { id: parcel, type: as }],
      })),
    },
    performed: { actions: decides(removePerformed) },
    sleep: {
      actions: decides((_: TallyContext, { until, onWake = 'count' }: EventOf<'sleep'>): Change => ({
        wakeAt: until,
        onWake,
      })),
    },
    wake: {
      guard: ({ context, event }) =>
        context.wakeAt !== undefined && context.wakeAt <= event.now && context.onWake !== 'nothing',
      actions: decides(({ onWake, wakes }: TallyContext): Change => {
        if (onWake === 'throw') throw new Error('broken on waking');
        return { wakes: wakes + 1, wakeAt: undefined };
      }),
    },
    remove: { target: '.gone' },
  },
});

/** The effect of a parcel. */
export type Carry = (parcel: Parcel, context: TallyContext, run: EffectRun) => Promise<TallyEvent>;

/** The kind of actor of these specs; `snapshots` has documents of its earlier versions. */
export function tallyKind(carry: Carry): ActorKind {
  return {
    name: 'tally',
    version: 3,
    machine,
    stateOf,
    rarelyWritten: ['notes'],
    whenTooLarge: 'tear notes first',
    effects: { carry },
    deletedState: 'gone',
    migrate,
  };
}

/** Version 1 had a `total` and one text of remarks; version 2 one state for empty and counting. */
function migrate({ version, state, context: given }: AgedSnapshot): Omit<AgedSnapshot, 'version'> {
  const { total, remarks, ...rest } = given;
  const context =
    version > 1 ? given : { ...rest, count: total, added: [total], notes: String(remarks).split('\n') };
  return {
    state: state === 'active' ? 'counting' : state,
    context: { wakes: 0, onWake: 'count', spoiled: undefined, ...context },
  };
}
