/** A comparison of an aggregate of one metric's window with a number (docs/policy-api.md, "Conditions"). */
export interface PlainComparison {
  readonly value: number;
  readonly operand: 'greater' | 'less' | 'greater equal' | 'less equal';
  readonly clear?: number;
  readonly aggregate?: 'mean' | 'min' | 'max' | 'last' | 'sum';
}

export type PlainCondition =
  | { readonly any: readonly PlainCondition[] }
  | { readonly all: readonly PlainCondition[] }
  | { readonly not: PlainCondition }
  | { readonly [metric: string]: PlainComparison };

/** A rule without its name and action, which decide no message. Times in seconds. */
export interface PlainRule {
  readonly condition: PlainCondition;
  readonly for?: number;
  readonly repeat?: number;
  readonly resolve?: boolean;
  readonly noData?: number;
}

/** Members that P6 and P12 replace. `null` takes a member away. */
export type RuleChange = { readonly [member in keyof PlainRule]?: PlainRule[member] | null };

/** Values of one element of a request, by metric: hdd as utilization. */
export type PlainFact = Readonly<Record<string, number>>;

/** One thing that happens to a server. `at` is ms since the epoch and never falls from step to step. */
export type Step = { readonly at: number } & (
  | { readonly do: 'facts'; readonly facts: readonly PlainFact[] }
  | { readonly do: 'subscribe'; readonly subscription: string; readonly rule: string }
  | { readonly do: 'unsubscribe'; readonly subscription: string }
  | { readonly do: 'change'; readonly rule: string; readonly to: RuleChange }
  | { readonly do: 'delete'; readonly rule: string }
  | { readonly do: 'mute'; readonly subscription: string; readonly until: number }
  | { readonly do: 'unmute'; readonly subscription: string }
  /** A quiet time of the server until a time, in place of an earlier one; and its end before. */
  | { readonly do: 'quiet'; readonly until: number }
  | { readonly do: 'unquiet' }
  /** Refused, and without an effect, for a subscription that is filling or calm. */
  | { readonly do: 'acknowledge' | 'unacknowledge'; readonly subscription: string }
  | RefusedStep
  | OutageStep
  /** The process of the service is stopped, or killed after so many commits, and started again. Decides no message. */
  | { readonly do: 'restart' }
  | { readonly do: 'kill'; readonly commits: number }
  /** Operation 15 with the rule and the url of a subscription. */
  | { readonly do: 'resume'; readonly subscription: string }
  | { readonly do: 'resize'; readonly windowsize: number }
  | { readonly do: 'wait' }
);

/**
 * The receiver refuses a message with 410. `fact` and `since` are those of the message: `fact` is null for `noData`. It is known
 * once the service has tried the message.
 */
export interface RefusedStep {
  readonly do: 'refused';
  readonly subscription: string;
  readonly fact: number | null;
  /** ms since the epoch. */
  readonly since: number | null;
}

/** The receiver of a subscription, or the mail server, is out until a time. Decides no message by itself. */
export interface OutageStep {
  readonly do: 'outage';
  /** The name of a subscription, or `mail`. */
  readonly receiver: string;
  readonly how: OutageKind;
  /** ms since the epoch. */
  readonly until: number;
}

/**
 * How a receiver is out: it answers 503, resets connections before or after it has read the message, does not answer, answers
 * 429, or 410.
 */
export type OutageKind = 'down' | 'reset' | 'lost' | 'hang' | 'busy' | 'gone';

/** All that happens to one server, from its beginning. `gapS` 0: a pause empties no window. */
export interface Story {
  readonly rules: Readonly<Record<string, PlainRule>>;
  /** Names of the rules that belong to the tenant. The others belong to the server. Decides no message. */
  readonly generic: readonly string[];
  /** Names of the rules that send mails as well. Decides no message. */
  readonly mailed?: readonly string[];
  readonly windowsize: number;
  readonly gapS: number;
  readonly steps: readonly Step[];
}

/** A message that a subscription sends. */
export interface PlainMessage {
  readonly subscription: string;
  /** When it was decided, ms since the epoch. */
  readonly at: number;
  readonly state: 'firing' | 'resolved' | 'noData';
  /** Number of the fact, from 1. null for `noData`. */
  readonly fact: number | null;
  /** ms since the epoch. null for `noData` when no fact ever came. */
  readonly since: number | null;
  readonly measures: Readonly<Record<string, number>>;
  /** Whether its body has `state` and `since`: its rule has a member or a form of condition beyond the document's. */
  readonly isStated: boolean;
}

/** What the subscriptions of a story send, in order, and what is known at its end of those that are left. */
export interface Outcome {
  readonly messages: readonly PlainMessage[];
  /** Oldest first. */
  readonly transitions: readonly PlainTransition[];
  readonly subscriptions: Readonly<Record<string, PlainSummary>>;
}

/** A change of the state of a subscription, as the history has it. */
export interface PlainTransition {
  /** ms since the epoch. */
  readonly at: number;
  readonly subscription: string;
  readonly from: PlainSummary['state'];
  readonly to: PlainSummary['state'];
  /** Number of the fact that caused it; null: none did. */
  readonly fact: number | null;
}

export interface PlainSummary {
  readonly state: 'filling' | 'calm' | 'pending' | 'firing' | 'noData';
  /** As explain says it, ms since the epoch. */
  readonly since: number | null;
  readonly suspended: boolean;
  /** When its present state was acknowledged, ms since the epoch; null: it is not. */
  readonly acknowledgedAt: number | null;
  readonly evaluations: number;
  readonly firings: number;
  /** Messages that were not sent. */
  readonly unsent: number;
  /** Sum of its periods in ms, the last one until the story's last fact. */
  readonly heldMs: number;
}
