import type { SourceName } from '../facts/facts.js';
import type { ComparisonMask } from '../rules/compiled.js';

/**
 * The state of a subscription: `filling` without an evaluation of the present windows, `calm` if its condition did not
 * hold in the last evaluation, `pending` if it held and `for` was not over, `firing` if it held, `noData` after the
 * no-data timeout.
 */
export type StateName = (typeof STATE_NAMES)[number];

/** All states, the worst first: what a server with several subscriptions shows of them. */
export const STATE_NAMES = ['firing', 'noData', 'pending', 'filling', 'calm'] as const;

/** What a server stores of the evaluations of one subscription. */
export interface SubscriptionState {
  readonly state: StateName;
  /**
   * Start of the period in which the condition holds, ms since the epoch. A period outlasts `filling` and `noData`: the
   * first evaluation after it decides whether the period is over.
   */
  readonly since?: number | undefined;
  /** Where `for` counts from, if the clock was set back since `since`, ms since the epoch; absent: from `since`. */
  readonly holdFrom?: number | undefined;
  /** The comparisons with `clear` that held in the last evaluation; absent: none. */
  readonly mask?: ComparisonMask | undefined;
  /** Time of the last firing of the period that was not sent, if none was sent after it, ms since the epoch. */
  readonly unsentAt?: number | undefined;
  /**
   * The last period of which a firing was sent, as the receiver knows it; undefined if no later message depends on it.
   */
  readonly reported?: ReportedPeriod | undefined;
  /** Time of the measurement from which the no-data timeout counted, ms since the epoch; 0: there was none. */
  readonly noDataSince?: number | undefined;
  /** The time in place of it, if the clock was set back since, ms since the epoch; absent otherwise. */
  readonly noDataFrom?: number | undefined;
  /** True if the `noData` message was not sent; absent otherwise. */
  readonly noDataUnsent?: true | undefined;
  /** The acknowledgement of the period in which the condition holds; absent: there is none. */
  readonly ack?: Acknowledgement | undefined;
  /** The acknowledgement of the present `noData`; absent: there is none. */
  readonly noDataAck?: Acknowledgement | undefined;
  /** True if the state is `noData` and the windows were evaluated before; absent otherwise. */
  readonly evaluated?: boolean | undefined;
  /** Number of firings that were sent. */
  readonly firings: number;
  /** The last of these firings. */
  readonly last?: SentFiring | undefined;
  /** `key` of the evaluated condition. With another key, the state does not apply to the present condition. */
  readonly condition: string;
}

/**
 * A period of which a firing was sent, as the receiver of the messages knows it. Messages that a mute or a suspension
 * suppressed count as not sent. So does a message whose refusal suspended the subscription.
 */
export interface ReportedPeriod {
  /** Start of the period, as its messages have it, ms since the epoch. */
  readonly since: number;
  /** The first and the last of the firings that were sent, oldest first; one alone if there was no other. */
  readonly firings: readonly SentFiring[];
  /** True if the period is over and its `resolved` was not sent; absent otherwise. */
  readonly ended?: true | undefined;
  /** Number of the fact whose `resolved` was sent; undefined: none was. */
  readonly resolved?: number | undefined;
}

/** Somebody's word that a state is being looked after. */
export interface Acknowledgement {
  /** Name of the user, or `operator`. */
  readonly by: string;
  /** ms since the epoch. */
  readonly at: number;
  readonly note?: string | undefined;
}

/** A firing that was sent. */
export interface SentFiring {
  /** ms since the epoch. */
  readonly at: number;
  readonly factId: number;
}

/**
 * A subscription state as a server stores it. Every fact writes all subscription states of its server, and most are of calm
 * subscriptions that never fired: such a state is its `condition` alone. null: the subscription was never evaluated.
 */
export type StoredState = SubscriptionState | string | null;

/** In the order of a server's subscriptions. One beyond the end was never evaluated. */
export type SubscriptionStates = readonly StoredState[];

/** Returns the state of a subscription before its first evaluation. `condition`: the key of its condition. */
export function newState(condition: string): SubscriptionState {
  return { state: 'filling', firings: 0, condition };
}

/** Returns a subscription state that was stored; undefined if the subscription was never evaluated. */
export function stateFrom(stored: StoredState | undefined): SubscriptionState | undefined {
  return typeof stored === 'string'
    ? { state: 'calm', firings: 0, condition: stored }
    : (stored ?? undefined);
}

/** Returns a subscription state as it is stored. */
export function storedState(current: SubscriptionState): StoredState {
  const { state, firings, last, condition, mask, noDataSince } = current;
  const isPlain = last === undefined && mask === undefined && noDataSince === undefined;
  return state === 'calm' && firings === 0 && isPlain ? condition : current;
}

/** True if two subscription states are equal. */
export function isSameState(a: SubscriptionState, b: SubscriptionState): boolean {
  return (
    a.state === b.state &&
    a.since === b.since &&
    a.holdFrom === b.holdFrom &&
    a.mask === b.mask &&
    a.unsentAt === b.unsentAt &&
    a.reported === b.reported &&
    a.noDataSince === b.noDataSince &&
    a.noDataFrom === b.noDataFrom &&
    a.noDataUnsent === b.noDataUnsent &&
    a.ack === b.ack &&
    a.noDataAck === b.noDataAck &&
    a.evaluated === b.evaluated &&
    a.firings === b.firings &&
    a.last === b.last &&
    a.condition === b.condition
  );
}

/** Returns the state of a subscription, as it is stored. One beyond the end was never evaluated. */
export function stateName(stored: StoredState | undefined): StateName {
  if (typeof stored === 'string') return 'calm';
  return stored?.state ?? 'filling';
}

/** Returns the acknowledgement that is in force; undefined: there is none. */
export function ackOf({ state, ack, noDataAck }: SubscriptionState): Acknowledgement | undefined {
  return state === 'noData' ? noDataAck : ack;
}

/** A change of the state of one subscription. */
export interface Transition {
  /** ms since the epoch. */
  readonly at: number;
  readonly ruleId: string;
  readonly subscriptionId: string;
  readonly from: StateName;
  readonly to: StateName;
  /** The sentence that explained the new state at that time. */
  readonly sentence: string;
  /** The fact that caused the transition; null if none did. */
  readonly factId: number | null;
  /** What sent that fact by itself; absent for operation 1 and facts by entity. */
  readonly source?: SourceName;
}

/** Returns a reported period whose receiver was not sent that it is over; undefined: there is none. */
export function openPeriod(reported: ReportedPeriod | undefined): ReportedPeriod | undefined {
  return reported?.resolved === undefined ? reported : undefined;
}

/** Returns the start of the period that goes on for the receiver, ms since the epoch; undefined: none does. */
export function reportedSince({ reported }: Pick<SubscriptionState, 'reported'>): number | undefined {
  const open = openPeriod(reported);
  return open?.ended === true ? undefined : open?.since;
}

/** Returns when the last firing of a reported period was sent, ms since the epoch; undefined without a period. */
export function lastSentAt(reported: ReportedPeriod | undefined): number | undefined {
  return reported?.firings.at(-1)?.at;
}

/** Returns the reported period after a firing of it was sent. `open`: the same period before; undefined: it is the first. */
export function withFiring(
  open: ReportedPeriod | undefined,
  since: number,
  firing: SentFiring,
): ReportedPeriod {
  const [first] = open?.firings ?? [];
  return { since, firings: first === undefined ? [firing] : [first, firing] };
}

/** Returns a reported period that goes on. */
export function goingOn(open: ReportedPeriod | undefined): ReportedPeriod | undefined {
  return open?.ended === true ? { since: open.since, firings: open.firings } : open;
}

/** Returns a reported period that is over. `resolved`: number of the fact whose `resolved` was sent; undefined: none was. */
export function overPeriod({ since, firings }: ReportedPeriod, resolved: number | undefined): ReportedPeriod {
  return resolved === undefined ? { since, firings, ended: true } : { since, firings, resolved };
}

/** Returns the reported period without a message that was refused, by the number of its fact; undefined: no firing is left. */
export function withoutRefused(reported: ReportedPeriod, factId: number): ReportedPeriod | undefined {
  if (factId === reported.resolved) return overPeriod(reported, undefined);
  const firings = reported.firings.filter((firing) => firing.factId !== factId);
  if (firings.length === reported.firings.length) return reported;
  return firings.length === 0 ? undefined : { ...reported, firings };
}
