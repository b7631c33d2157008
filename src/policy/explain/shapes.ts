/** Explanations and the history, as the policy API and the console answer them. Times are ISO 8601, UTC. */

/** Why a rule fires or does not fire on one server. */
export interface Explanation {
  readonly ruleId: string;
  readonly serverId: string;
  /** The windows of the metrics in the condition, by metric. */
  readonly windows: Readonly<Record<string, ExplainedWindow>>;
  /** The last fact of the server; null before the first. */
  readonly lastFact: { readonly id: number; readonly at: string } | null;
  readonly subscriptions: readonly ExplainedSubscription[];
  /** Set if there is no subscription. */
  readonly sentence?: string;
}

/** The newest values of one metric. */
export interface ExplainedWindow {
  /** Number of values of a full window. */
  readonly size: number;
  /** Percent of utilization, oldest first. */
  readonly values: readonly number[];
  /** When a pause emptied the window; absent once the window is full again. */
  readonly emptied?: string;
}

/** A subscription of the rule. */
export interface ExplainedSubscription {
  readonly subscriptionId: string;
  readonly url: string;
  readonly state: ExplainedState;
  /** Begin of the period in which the condition holds; null unless the state is `firing`. */
  readonly since: string | null;
  readonly sentence: string;
  readonly comparisons: readonly ExplainedComparison[];
  /** Number of firings with messages. */
  readonly firings: number;
  /** Number of firings without messages. */
  readonly unsent: number;
  /** Begin of the suspension. */
  readonly suspended?: string;
  readonly lastFiring: ExplainedFiring | null;
}

/** State of a subscription. */
export type ExplainedState = 'filling' | 'calm' | 'firing';

/** A comparison of the condition with its last result. */
export interface ExplainedComparison {
  readonly metric: string;
  readonly aggregate: 'mean';
  /** The aggregate of the window; null before the first evaluation. */
  readonly result: number | null;
  readonly operand: string;
  readonly value: number;
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

/** `forgotten`: the delivery is deleted after its time. */
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
}
