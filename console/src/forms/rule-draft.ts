import type { ServerRuleView } from '../../../src/console/shapes.js';

/** The members of a rule that its form changes. */
export type EditedRule = Pick<ServerRuleView, 'ruleId' | 'name' | 'condition' | 'action'>;

/** The metrics of conditions, as the policy API has them. */
export const METRICS = ['cpu', 'mem', 'hdd', 'net'] as const;
/** The operands of the policy API, each with its words. */
export const OPERANDS = [
  ['greater', 'greater than'],
  ['greater equal', 'at least'],
  ['less', 'less than'],
  ['less equal', 'at most'],
] as const;
const EMAIL = 'notify-email';
const SCALE = 'notify-scale';
const DECIMAL = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,2})?\s*$/i;

/** One comparison as it is typed. */
export interface ComparisonDraft {
  readonly metric: string;
  readonly operand: string;
  readonly value: string;
}

/** A rule as it is typed. The members of both actions are kept, so that nothing typed is lost. */
export interface RuleDraft {
  readonly name: string;
  readonly comparisons: readonly ComparisonDraft[];
  readonly sends: 'scale' | 'email';
  readonly actionName: string;
  readonly operation: string;
  readonly email: string;
  readonly body: string;
}

/** The body of operations 4 and 11, or of 6 and 12. */
export type RuleBody = Readonly<Record<string, unknown>>;

/** Returns the draft of a new rule. */
export function emptyDraft(): RuleDraft {
  return {
    name: '',
    comparisons: [{ metric: 'cpu', operand: 'greater', value: '' }],
    sends: 'scale',
    actionName: SCALE,
    operation: 'scaleUp',
    email: '',
    body: '',
  };
}

/** Returns the draft of a rule that exists. */
export function draftOf({ name, condition, action }: EditedRule): RuleDraft {
  const text = (member: string): string => {
    const value = action[member];
    return typeof value === 'string' ? value : '';
  };
  const isEmail = text('actionName') === EMAIL;
  return {
    name,
    comparisons: Object.entries(condition).map(([metric, { operand, value }]) => ({
      metric,
      operand,
      value: String(value),
    })),
    sends: isEmail ? 'email' : 'scale',
    actionName: isEmail ? SCALE : text('actionName'),
    operation: isEmail ? 'scaleUp' : text('operation'),
    email: text('email'),
    body: text('body'),
  };
}

/** Returns the rule that a draft says, unchecked: the service checks it. */
export function ruleIn(draft: RuleDraft): RuleBody {
  const { name, comparisons, sends, actionName, operation, email, body } = draft;
  const condition = Object.fromEntries(
    comparisons.map(({ metric, operand, value }) => [metric, { value: numberIn(value), operand }]),
  );
  const action = sends === 'email' ? { actionName: EMAIL, email, body } : { actionName, operation };
  return { name, condition, action };
}

/** Returns the members in which a draft differs from the rule; undefined if there is none. */
export function changeIn(draft: RuleDraft, rule: EditedRule): RuleBody | undefined {
  const before = ruleIn(draftOf(rule));
  const changed = Object.entries(ruleIn(draft)).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member]),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** Returns the fields of a form with this draft, named as the service names them in its problems, in their order. */
export function fieldsOf({ comparisons, sends }: RuleDraft): readonly string[] {
  const action = sends === 'email' ? ['email', 'body'] : ['operation', 'actionName'];
  return [
    'name',
    'condition',
    ...comparisons.flatMap(({ metric }) => [`condition.${metric}.operand`, `condition.${metric}.value`]),
    ...action.map((member) => `action.${member}`),
  ];
}

/** Returns the number that a text is. A text that is none is sent as it is: the service says what is allowed. */
function numberIn(text: string): number | string {
  return DECIMAL.test(text) ? Number(text) : text;
}
