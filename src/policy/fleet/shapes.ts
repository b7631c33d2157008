/** Lists of servers, as the policy API, the operators' API and the console answer them. Times are ISO 8601, UTC. */
import type { ExplainedComparison, ServerState } from '../explain/shapes.js';

/** A page of servers. */
export interface FleetView<R extends FleetServer = FleetServer> {
  readonly servers: readonly R[];
  /** Value of `after` for the next page; null on the last page. A page may be short, or empty, and have a next one. */
  readonly next: string | null;
}

/** A server with the worst of its subscriptions. */
export interface FleetServer {
  readonly tenantId: string;
  readonly serverId: string;
  readonly state: ServerState;
  /**
   * When the period began in which the condition holds; with `noData` when the last measurement came, null if none ever did.
   * null in every other state.
   */
  readonly since: string | null;
  /** The rule of that subscription; null without a subscription. */
  readonly rule: { readonly id: string; readonly name: string } | null;
  readonly subscriptionId: string | null;
  /** Why it is in this state, as explain says it; null without a subscription. */
  readonly sentence: string | null;
  /** The labels of that rule. */
  readonly labels: Readonly<Record<string, string>>;
  /** The first comparison of the rule that holds, or its first one; null without a subscription. */
  readonly comparison: FleetComparison | null;
  /** The last fact of the server; null before the first. */
  readonly lastFact: { readonly id: number; readonly at: string } | null;
  /** Numbers of its subscriptions. */
  readonly marks: FleetMarks;
  /** Messages of its subscriptions that wait for delivery. */
  readonly waiting: number;
  /** Messages of its subscriptions that are dead letters. */
  readonly dead: number;
}

/** A server as the console lists it. */
export interface FleetRow extends FleetServer {
  /** Ids of the subscriptions that make its state one that needs somebody, and that nobody has acknowledged, the first 100. */
  readonly unacknowledged: readonly string[];
}

/** A comparison with its last result. */
export type FleetComparison = Pick<ExplainedComparison, 'metric' | 'result' | 'operand' | 'value'>;

/** How many are muted, suspended and acknowledged. */
export interface FleetMarks {
  readonly muted: number;
  readonly suspended: number;
  readonly acknowledged: number;
}

/** How many servers are in which state. */
export interface FleetCounts {
  /** Of each state the servers, and those of them with a subscription that is muted, suspended or acknowledged. */
  readonly states: Readonly<Record<ServerState, { readonly servers: number } & FleetMarks>>;
  /** Servers with a subscription that is firing or without data, and not acknowledged. */
  readonly inTrouble: number;
}

/** A page of rules with the states of the servers that have subscriptions of them. */
export interface RulesStatusView {
  readonly rules: readonly RuleStatus[];
  /** Value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** A rule, and the servers that have subscriptions of it. */
export interface RuleStatus {
  readonly tenantId: string;
  /** The server whose own rule it is. null: a rule of the tenant. */
  readonly serverId: string | null;
  readonly ruleId: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Number of servers by the worst state of their subscriptions of the rule. */
  readonly states: Readonly<Record<Exclude<ServerState, 'unwatched'>, number>>;
}
