/** Rules, as the console reads them. */

/** A condition: comparisons by metric, or a group. */
export type ConditionView =
  | { readonly [metric: string]: ComparisonView }
  | { readonly any: readonly ConditionView[] }
  | { readonly all: readonly ConditionView[] }
  | { readonly not: ConditionView };

/** A comparison of a metric. Without `aggregate` it compares the mean. */
export interface ComparisonView {
  readonly value: number;
  readonly operand: string;
  readonly clear?: number;
  readonly aggregate?: string;
}

/**
 * The options of a rule (docs/policy-api.md, "When a rule notifies"). Without them, the rule behaves as in the
 * document.
 */
export interface RuleOptionsView {
  /** Time for which the condition holds before the rule fires, s. */
  readonly for?: number;
  /** Time between two firings while the condition holds, s; 0: no second one. Absent: every evaluation that holds fires. */
  readonly repeat?: number;
  /** True: a notification `resolved` is sent when the condition no longer holds. */
  readonly resolve?: boolean;
  /** Time without a measurement after which a notification `noData` is sent, s. */
  readonly noData?: number;
  /** Words for people and filters, by name. Of all messages, only alerts at an Alertmanager have them. */
  readonly labels?: Readonly<Record<string, string>>;
}
