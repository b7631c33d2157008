import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import { fastTransition } from '../../actors/fast-transition.js';
import type { Held } from '../rules/compiled.js';
import type { Speaking } from '../rules/rule.js';
import type { Watch, WatchState } from './watch.js';

/** What an evaluation, or the lack of one, makes a subscription say. */
export type SaidState = 'firing' | 'resolved' | 'noData';

/** The memory of a subscription, with what the last event made it say. */
export interface WatchMemory extends Omit<Watch, 'state'> {
  readonly says: SaidState | undefined;
}

/** An evaluation of a condition. */
export interface EvaluatedEvent {
  readonly type: 'evaluated';
  /** ms since the epoch. */
  readonly now: number;
  readonly factId: number;
  readonly holds: boolean;
  /** The comparisons with `clear` that hold. */
  readonly held: Held;
  readonly speaking: Speaking;
  /** False if nothing is sent: the subscription is muted or suspended. */
  readonly audible: boolean;
}

/** What happens to the watch of a subscription. */
export type WatchEvent =
  | EvaluatedEvent
  /** The windows cannot be evaluated. `forgotten`: the comparisons with `clear` whose windows a pause emptied. */
  | { readonly type: 'emptied'; readonly forgotten: Held }
  /** A pause emptied windows while no measurement of the condition came. */
  | { readonly type: 'forgot'; readonly forgotten: Held }
  /** The rule has another condition. */
  | { readonly type: 'restarted'; readonly condition: string }
  /** No measurement came for the time of `noData`. `since`: when the last one came, ms since the epoch; 0: none ever. */
  | { readonly type: 'lapsed'; readonly since: number };

interface Given {
  readonly context: WatchMemory;
  readonly event: WatchEvent;
}

type Change = Partial<WatchMemory>;

const isOver = ({ event }: Given): boolean => event.type === 'evaluated' && !event.holds;
const isRipe = ({ context, event }: Given): boolean =>
  event.type === 'evaluated' && hasHeld(context, event) >= (event.speaking.for ?? 0) * 1000;

/** Returns for how long the condition has held, ms; 0 after the clock was set back. */
function hasHeld({ since }: WatchMemory, { now }: EvaluatedEvent): number {
  return Math.max(0, now - (since ?? now));
}

/** Ends the period. */
function ending({ sent }: WatchMemory, { held, speaking }: EvaluatedEvent): Change {
  const says = speaking.resolve === true && sent === true ? 'resolved' : undefined;
  return {
    since: undefined,
    spoke: undefined,
    sent: undefined,
    silentSince: undefined,
    evaluated: undefined,
    held: bits(held),
    says,
  };
}

/** Begins the period, or goes on with it. */
function holding({ since }: WatchMemory, { now, held }: EvaluatedEvent): Change {
  return {
    since: since ?? now,
    held: bits(held),
    silentSince: undefined,
    evaluated: undefined,
    says: undefined,
  };
}

/** Goes on with the period, and fires unless `repeat` says that it is too early. */
function firing(memory: WatchMemory, event: EvaluatedEvent): Change {
  const held = holding(memory, event);
  const { now, factId, audible, speaking } = event;
  if (!isTimeToSpeak(memory.spoke, now, speaking.repeat)) return held;
  const spoken: Change = { ...held, spoke: now, says: 'firing' };
  if (!audible) return spoken;
  return { ...spoken, sent: true, firings: memory.firings + 1, last: { at: now, factId } };
}

function isTimeToSpeak(spoke: number | undefined, now: number, repeat: number | undefined): boolean {
  if (repeat === undefined || spoke === undefined) return true;
  return repeat > 0 && now - spoke >= repeat * 1000;
}

function restarting({ firings, last, silentSince }: WatchMemory, condition: string): Change {
  const nothing = {
    since: undefined,
    held: undefined,
    spoke: undefined,
    sent: undefined,
    evaluated: undefined,
  };
  return { ...nothing, firings, last, silentSince, condition, says: undefined };
}

function bits(held: Held): Held | undefined {
  return held === 0 ? undefined : held;
}

type Emptied = Extract<WatchEvent, { type: 'emptied' }>;
type Forgot = Extract<WatchEvent, { type: 'forgot' }>;
type Restarted = Extract<WatchEvent, { type: 'restarted' }>;
type Lapsed = Extract<WatchEvent, { type: 'lapsed' }>;

function lapsing(_: WatchMemory, { since }: Lapsed): Change {
  return { silentSince: since, says: 'noData' };
}

/** The transition of the states in which the windows were evaluated. */
const lapsesEvaluated = {
  lapsed: {
    target: 'noData',
    actions: decides((memory: WatchMemory, event: Lapsed): Change => ({
      ...lapsing(memory, event),
      evaluated: true,
    })),
  },
} as const;

/** The machine of one subscription (docs/policy-api.md, "When a rule speaks"). Its states are `WatchState`. */
const watchMachine = setup({
  types: { context: {} as WatchMemory, events: {} as WatchEvent, input: {} as { condition: string } },
}).createMachine({
  id: 'subscription',
  context: ({ input }) => ({ firings: 0, condition: input.condition, says: undefined }),
  initial: 'filling',
  on: {
    evaluated: [
      { guard: isOver, target: '.calm', actions: decides(ending) },
      { guard: isRipe, target: '.firing', actions: decides(firing) },
      { target: '.pending', actions: decides(holding) },
    ],
    emptied: {
      target: '.filling',
      actions: decides(({ held = 0 }: WatchMemory, { forgotten }: Emptied): Change => ({
        held: bits((held & ~forgotten) >>> 0),
        silentSince: undefined,
        evaluated: undefined,
        says: undefined,
      })),
    },
    forgot: {
      actions: decides(({ held = 0 }: WatchMemory, { forgotten }: Forgot): Change => ({
        held: bits((held & ~forgotten) >>> 0),
        says: undefined,
      })),
    },
    restarted: {
      target: '.filling',
      actions: decides((memory: WatchMemory, { condition }: Restarted) => restarting(memory, condition)),
    },
    lapsed: { target: '.noData', actions: decides(lapsing) },
  },
  states: {
    filling: {},
    calm: { on: lapsesEvaluated },
    pending: { on: lapsesEvaluated },
    firing: { on: lapsesEvaluated },
    noData: {},
  },
});

const step = fastTransition<WatchMemory, WatchEvent>(watchMachine);

/** Returns the watch after an event, and what it says. */
export function stepped(
  watch: Watch,
  event: WatchEvent,
): { readonly watch: Watch; readonly says: SaidState | undefined } {
  const next = step({ value: watch.state, context: memoryOf(watch) }, event);
  // The fast transition knows all transitions of this machine.
  if (next === undefined)
    throw new Error(`the subscription machine has no plain transition for ${event.type}`);
  return { watch: watchIn(next.value as WatchState, next.context), says: next.context.says };
}

// Literals and no spreads: V8 gives each object of a spread with further members a hidden class of its own.

function memoryOf(watch: Watch): WatchMemory {
  const { since, held, spoke, sent, silentSince, evaluated, firings, last, condition } = watch;
  return { since, held, spoke, sent, silentSince, evaluated, firings, last, condition, says: undefined };
}

function watchIn(state: WatchState, memory: WatchMemory): Watch {
  const { since, held, spoke, sent, silentSince, evaluated, firings, last, condition } = memory;
  return { state, since, held, spoke, sent, silentSince, evaluated, firings, last, condition };
}
