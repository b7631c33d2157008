/** Explanations and the history, as the policy API and the console answer them. Times are ISO 8601, UTC. */

import type { SourceView } from '../sources/shapes.js';

/** Why a rule fires or does not fire on one server. */
export interface Explanation {
  readonly ruleId: string;
  readonly serverId: string;
  /** The windows of the metrics in the condition, by metric. */
  readonly windows: Readonly<Record<string, ExplainedWindow>>;
  /** The last fact of the server; null before the first. */
  readonly lastFact: ExplainedFact | null;
  readonly subscriptions: readonly ExplainedSubscription[];
  /** Present only if there is no subscription. */
  readonly sentence?: string;
}

/** A fact. `source`: what sent it by itself; absent for operation 1 and facts by entity. */
export interface ExplainedFact {
  readonly id: number;
  readonly at: string;
  readonly source?: SourceView['source'];
}

/** The newest values of one metric. */
export interface ExplainedWindow {
  /** Number of values of a full window. */
  readonly size: number;
  /** Oldest first. Those of the document's metrics are percentages of utilization. */
  readonly values: readonly number[];
  /** When a pause emptied the window; absent once the window is full again. */
  readonly emptied?: string;
  /** The values that were left out since the last one that counted; absent: none. */
  readonly ignored?: ExplainedIgnored;
}

/** Values of one metric that were left out. */
export interface ExplainedIgnored {
  readonly count: number;
  /** Arrival of the last of them. */
  readonly at: string;
  /** Why the last of them was left out. */
  readonly why: 'repeated' | 'older' | 'other subscription';
}

/** A subscription of the rule. */
export interface ExplainedSubscription {
  readonly subscriptionId: string;
  readonly url: string;
  readonly state: ExplainedState;
  /**
   * When the period began in which the condition holds; with `noData` when the last measurement came, null if none ever did.
   * null in `filling` and `calm`.
   */
  readonly since: string | null;
  readonly sentence: string;
  readonly comparisons: readonly ExplainedComparison[];
  /** Number of firings that were sent. */
  readonly firings: number;
  /** Number of messages of any state that were not sent. */
  readonly unsent: number;
  /** End of the mute; absent if the subscription is not muted. */
  readonly mutedUntil?: string;
  /** Name of the quiet time that mutes it until then; absent if the subscription itself is muted. */
  readonly mutedBy?: string;
  /** Who muted the subscription itself, and why; absent without a comment, and if a quiet time mutes it until then. */
  readonly mute?: MuteView;
  /** When the suspension began; absent if the subscription is not suspended. */
  readonly suspended?: string;
  /** Who looks after the present state; absent: nobody said so. */
  readonly ack?: AcknowledgementView;
  readonly lastFiring: ExplainedFiring | null;
}

/** A mute that somebody gave a reason for. */
export interface MuteView {
  /** Name of the user, or `operator`. */
  readonly by: string;
  readonly at: string;
  readonly comment: string;
}

/** Somebody's word that a state is being looked after. */
export interface AcknowledgementView {
  /** Name of the user, or `operator`. */
  readonly by: string;
  readonly at: string;
  readonly note: string | null;
}

/** State of a subscription. */
export type ExplainedState = 'filling' | 'calm' | 'pending' | 'firing' | 'noData';

/** State of a server: the worst of its subscriptions'; `unwatched` without subscriptions. */
export type ServerState = ExplainedState | 'unwatched';

/** A comparison of the condition with its last result. */
export interface ExplainedComparison {
  readonly metric: string;
  readonly aggregate: string;
  /** The aggregate of the window; null before the first evaluation. */
  readonly result: number | null;
  readonly operand: string;
  readonly value: number;
  /** Absent unless the comparison has it. */
  readonly clear?: number;
  /** null before the first evaluation. */
  readonly holds: boolean | null;
}

/** The last firing with messages. */
export interface ExplainedFiring {
  readonly at: string;
  readonly factId: number;
  /** The delivery of the webhook. */
  readonly deliveryId: string;
  readonly delivery: DeliveryStanding;
}

/** What became of a delivery. `forgotten`: it ended, and was deleted later. */
export type DeliveryStanding = 'pending' | 'delivered' | 'dead' | 'forgotten';

/** The newest transitions of a server, newest first. */
export interface HistoryView {
  readonly history: readonly TransitionView[];
}

/** A change of the state of one subscription. */
export interface TransitionView {
  readonly at: string;
  readonly ruleId: string;
  readonly subscriptionId: string;
  readonly from: ExplainedState;
  readonly to: ExplainedState;
  /** The sentence that explained the new state at that time. */
  readonly sentence: string;
  /** The fact that caused the transition; null if none did. */
  readonly factId: number | null;
  /** What sent that fact by itself; absent for operation 1 and facts by entity. */
  readonly source?: SourceView['source'];
}
