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

/** The options of a rule. Times are in s. */
export interface RuleOptionsView {
  readonly for?: number;
  readonly repeat?: number;
  readonly resolve?: boolean;
  readonly noData?: number;
}
