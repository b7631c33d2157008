import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import { transitionOf } from '../../actors/transition.js';
import type { ComparisonMask } from '../rules/compiled.js';
import type { RuleOptions } from '../rules/rule.js';
import {
  goingOn,
  lastSentAt,
  openPeriod,
  overPeriod,
  withFiring,
  withoutRefused,
  newState,
  type Acknowledgement,
  type ReportedPeriod,
  type SubscriptionState,
  type StateName,
} from './subscription-state.js';

/** The state in a notification. */
export type NotificationState = 'firing' | 'resolved' | 'noData';

/** A subscription state, with the notification that the last event caused. Each event begins without one. */
export interface StateContext extends SubscriptionState {
  readonly notifies: NotificationState | undefined;
}

/** An evaluation of a condition. */
export interface EvaluatedEvent {
  readonly type: 'evaluated';
  /** ms since the epoch. */
  readonly now: number;
  readonly factId: number;
  readonly holds: boolean;
  /** The comparisons with `clear` that hold. */
  readonly mask: ComparisonMask;
  readonly options: RuleOptions;
  /** True if nothing is sent: the subscription is muted or suspended. */
  readonly suppressed: boolean;
}

/** What happens to the state of a subscription. */
export type StateEvent =
  | EvaluatedEvent
  /** The windows cannot be evaluated. `forgotten`: the comparisons with `clear` whose windows a pause emptied. */
  | { readonly type: 'emptied'; readonly forgotten: ComparisonMask }
  /** A pause emptied windows while no measurement of the condition came. */
  | { readonly type: 'forgot'; readonly forgotten: ComparisonMask }
  /** The rule has another condition. */
  | { readonly type: 'restarted'; readonly condition: string }
  /** No measurement came for the time of `noData`. `since`: when the last one came, ms since the epoch; 0: none ever. */
  | { readonly type: 'noDataTimeout'; readonly since: number; readonly suppressed: boolean }
  /** Somebody looks after the state; undefined: nobody any more. */
  | { readonly type: 'acknowledged'; readonly ack: Acknowledgement | undefined }
  /** A message was refused, which suspended the subscription. `factId`: number of its fact; null: it is the last `noData`. */
  | { readonly type: 'refused'; readonly factId: number | null };

interface Given {
  readonly context: StateContext;
  readonly event: StateEvent;
}

type Change = Partial<StateContext>;

const isOver = ({ event }: Given): boolean => event.type === 'evaluated' && !event.holds;
const isHoldPeriodOver = ({ context, event }: Given): boolean =>
  event.type === 'evaluated' && holdPeriod(context, event) >= (event.options.for ?? 0) * 1000;

/** Returns for how long the condition has held, ms. */
function holdPeriod({ since, holdFrom }: StateContext, { now }: EvaluatedEvent): number {
  return Math.max(0, now - (holdFrom ?? since ?? now));
}

/**
 * Returns the reported period. If it is over and the rule has no `resolve`, returns undefined: no message about its
 * end follows.
 */
function reportedTo({ reported }: StateContext, { options }: EvaluatedEvent): ReportedPeriod | undefined {
  return reported?.ended === true && options.resolve !== true ? undefined : reported;
}

/** Ends the period. */
function ending(state: StateContext, event: EvaluatedEvent): Change {
  const reported = reportedTo(state, event);
  const over = {
    since: undefined,
    holdFrom: undefined,
    unsentAt: undefined,
    noDataSince: undefined,
    noDataFrom: undefined,
    noDataUnsent: undefined,
    ack: undefined,
    noDataAck: undefined,
    evaluated: undefined,
    mask: bits(event.mask),
  };
  const open = openPeriod(reported);
  if (open === undefined) return { ...over, reported };
  if (event.options.resolve !== true) return { ...over, reported: undefined };
  if (!event.suppressed) return { ...over, reported: overPeriod(open, event.factId), notifies: 'resolved' };
  // The `resolved` message counts only once as not sent, at the end of the period.
  if (open.ended === true) return { ...over, reported };
  return { ...over, reported: overPeriod(open, undefined), notifies: 'resolved' };
}

/** Begins the period, or continues it. */
function holding(state: StateContext, event: EvaluatedEvent): Change {
  return {
    since: state.since ?? event.now,
    mask: bits(event.mask),
    reported: reportedTo(state, event),
    noDataSince: undefined,
    noDataFrom: undefined,
    noDataUnsent: undefined,
    noDataAck: undefined,
    evaluated: undefined,
  };
}

/** Continues the period, and fires unless it is too early for `repeat`. */
function firing(state: StateContext, event: EvaluatedEvent): Change {
  const next = holding(state, event);
  const { now, factId, suppressed } = event;
  const open = openPeriod(next.reported);
  if (suppressed) {
    const own = open?.ended === true ? undefined : open;
    const before = state.unsentAt ?? lastSentAt(own);
    return isFiringDue(state, before, event) ? { ...next, unsentAt: now, notifies: 'firing' } : next;
  }
  // The receiver got no message that the previous period is over. For the receiver, that period continues.
  const since = open?.since ?? next.since!;
  // The period of the receiver starts later than this one only if the clock was set back.
  const holdFrom = since > next.since! ? (state.holdFrom ?? next.since) : state.holdFrom;
  const known = { ...next, since, holdFrom, unsentAt: undefined };
  if (!isFiringDue(state, lastSentAt(open), event)) return { ...known, reported: goingOn(open) };
  const last = { at: now, factId };
  const reported = withFiring(open, since, last);
  return { ...known, reported, firings: state.firings + 1, last, notifies: 'firing' };
}

/** True if a firing is due. `before`: when the last one was. Of an acknowledged period only the first one is. */
function isFiringDue({ ack }: StateContext, before: number | undefined, event: EvaluatedEvent): boolean {
  const { repeat } = event.options;
  if (before === undefined) return true;
  if (ack !== undefined) return false;
  return repeat === undefined || (repeat > 0 && event.now - before >= repeat * 1000);
}

/** Removes what belongs to the previous condition. */
function restarting(_memory: StateContext, { condition }: Restarted): Change {
  return {
    since: undefined,
    holdFrom: undefined,
    mask: undefined,
    unsentAt: undefined,
    reported: undefined,
    ack: undefined,
    noDataAck: undefined,
    evaluated: undefined,
    condition,
  };
}

function bits(mask: ComparisonMask): ComparisonMask | undefined {
  return mask === 0 ? undefined : mask;
}

type Emptied = Extract<StateEvent, { type: 'emptied' }>;
type Forgot = Extract<StateEvent, { type: 'forgot' }>;
type Restarted = Extract<StateEvent, { type: 'restarted' }>;
type TimedOut = Extract<StateEvent, { type: 'noDataTimeout' }>;
type Refused = Extract<StateEvent, { type: 'refused' }>;
type Acknowledged = Extract<StateEvent, { type: 'acknowledged' }>;

function timedOut(_: StateContext, { since, suppressed }: TimedOut): Change {
  const noDataUnsent = suppressed ? true : undefined;
  return { noDataSince: since, noDataFrom: undefined, noDataUnsent, notifies: 'noData' };
}

/**
 * Removes the record that a message was sent, because it was refused. If a later message was sent, the record of that
 * one stays.
 */
function refusing(state: StateContext, { factId }: Refused): Change {
  const { reported, last, noDataSince } = state;
  if (factId === null) return { noDataUnsent: noDataSince === undefined ? undefined : true };
  if (reported === undefined) return {};
  const isLastOfPeriod =
    openPeriod(reported) !== undefined && reported.ended !== true && last?.factId === factId;
  return {
    reported: withoutRefused(reported, factId),
    unsentAt: isLastOfPeriod ? lastSentAt(reported) : state.unsentAt,
  };
}

/** The transition of the states in which the windows were evaluated. */
const timeoutEvaluated = {
  noDataTimeout: {
    target: 'noData',
    actions: decides((state: StateContext, event: TimedOut): Change => ({
      ...timedOut(state, event),
      evaluated: true,
    })),
  },
} as const;

/** The machine of one subscription (docs/policy-api.md, "When a rule notifies"). Its states are `StateName`. */
const stateMachine = setup({
  types: { context: {} as StateContext, events: {} as StateEvent, input: {} as { condition: string } },
}).createMachine({
  id: 'subscription',
  context: ({ input }) => ({ ...newState(input.condition), notifies: undefined }),
  initial: 'filling',
  on: {
    evaluated: [
      { guard: isOver, target: '.calm', actions: decides(ending) },
      { guard: isHoldPeriodOver, target: '.firing', actions: decides(firing) },
      { target: '.pending', actions: decides(holding) },
    ],
    emptied: {
      target: '.filling',
      actions: decides(({ mask = 0 }: StateContext, { forgotten }: Emptied): Change => ({
        mask: bits((mask & ~forgotten) >>> 0),
        noDataSince: undefined,
        noDataFrom: undefined,
        noDataUnsent: undefined,
        noDataAck: undefined,
        evaluated: undefined,
      })),
    },
    forgot: {
      actions: decides(({ mask = 0 }: StateContext, { forgotten }: Forgot): Change => ({
        mask: bits((mask & ~forgotten) >>> 0),
      })),
    },
    restarted: { target: '.filling', actions: decides(restarting) },
    noDataTimeout: { target: '.noData', actions: decides(timedOut) },
    refused: { actions: decides(refusing) },
    acknowledged: {
      actions: decides((_: StateContext, { ack }: Acknowledged): Change => ({ ack })),
    },
  },
  states: {
    filling: {},
    calm: { on: timeoutEvaluated },
    pending: { on: timeoutEvaluated },
    firing: { on: timeoutEvaluated },
    noData: {
      on: {
        acknowledged: {
          actions: decides((_: StateContext, { ack }: Acknowledged): Change => ({ noDataAck: ack })),
        },
      },
    },
  },
});

const step = transitionOf<StateContext>({ name: 'subscription', machine: stateMachine });

/** Returns the subscription state after an event, and the state that it notifies of. */
export function stepped(
  current: SubscriptionState,
  event: StateEvent,
): { readonly after: SubscriptionState; readonly notifies: NotificationState | undefined } {
  const { value, context } = step({ value: current.state, context: copied(current.state, current) }, event);
  return { after: copied(value as StateName, context), notifies: context.notifies };
}

// A literal and no spreads: V8 gives each object of a spread with further members a hidden class of its own.
function copied(state: StateName, from: Omit<SubscriptionState, 'state'>): StateContext {
  const { since, holdFrom, mask, unsentAt, reported, noDataSince, noDataFrom } = from;
  const { noDataUnsent, ack, noDataAck, evaluated, firings, last, condition } = from;
  return {
    state,
    since,
    holdFrom,
    mask,
    unsentAt,
    reported,
    noDataSince,
    noDataFrom,
    noDataUnsent,
    ack,
    noDataAck,
    evaluated,
    firings,
    last,
    condition,
    notifies: undefined,
  };
}
