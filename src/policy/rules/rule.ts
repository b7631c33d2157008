/** The metrics a condition may name (policy §2, Condition), in the order in which they are shown. */
export const METRICS = ['cpu', 'mem', 'hdd', 'net'] as const;
export type Metric = (typeof METRICS)[number];

/** The comparisons a condition may use (policy §9). */
export const OPERANDS = ['greater', 'less', 'greater equal', 'less equal'] as const;
export type Operand = (typeof OPERANDS)[number];

/** One statement of a condition: `cpu > 85` is `{ value: 85, operand: 'greater' }`. `value` is a percentage 0..100. */
export interface Statement {
  readonly value: number;
  readonly operand: Operand;
}

/** At least one statement; several are joined with AND (policy §2, Condition). */
export type Condition = Readonly<Partial<Record<Metric, Statement>>>;

/** What happens when the condition holds (policy §2, Action). */
export type Action = EmailAction | ScaleAction;

export interface EmailAction {
  readonly actionName: 'notify-email';
  readonly email: string;
  readonly body: string;
}

export interface ScaleAction {
  /** `notify-scale`, or any other name: all behave the same. */
  readonly actionName: string;
  readonly operation: 'scaleUp' | 'scaleDown';
}

/** What a client sends to create a rule. */
export interface RuleDraft {
  readonly name: string;
  readonly condition: Condition;
  readonly action: Action;
}

/** What a client sends to update a rule: the members to replace, at least one. */
export type RuleChange = Partial<RuleDraft>;

/** A rule as kept and shown. */
export interface Rule extends RuleDraft {
  readonly ruleId: string;
}

/** True for the action that also sends an e-mail. */
export function isEmail(action: Action): action is EmailAction {
  return action.actionName === 'notify-email';
}
