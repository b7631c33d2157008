import type { ServerRuleView } from '../../../src/console/shapes.js';
import type { RuleOptionsView } from '../../../src/policy/rules/shapes.js';
import { textOf } from '../../../src/untrusted/json.js';
import { secondsText } from '../pages/rules/seconds-text.js';
import {
  type ConditionDraft,
  conditionDraftOf,
  conditionIn,
  newComparison,
  placesIn,
} from './condition-draft.js';
import { typedSeconds } from './duration.js';
import { labelsDraftOf, type LabelsDraft, labelsIn } from './label-draft.js';

/** The members of a rule that its form changes. */
export type EditedRule = Pick<ServerRuleView, 'ruleId' | 'name' | 'condition' | 'action'> & RuleOptionsView;

const EMAIL = 'notify-email';
const SCALE = 'notify-scale';

/** A rule as it is typed. The members of both actions are kept, so that nothing typed is lost. */
export interface RuleDraft extends ConditionDraft, LabelsDraft {
  readonly name: string;
  readonly sends: 'scale' | 'email';
  readonly actionName: string;
  readonly operation: string;
  readonly email: string;
  readonly body: string;
  /** Times, such as `10 min`; a number alone is seconds. Absent or blank: the rule does not have the member. */
  readonly for?: string;
  readonly repeat?: string;
  readonly noData?: string;
  readonly resolve?: boolean;
}

/** The body of operations 4 and 11, or of 6 and 12. */
export type RuleBody = Readonly<Record<string, unknown>>;

const TIMES = ['for', 'repeat', 'noData'] as const;

/** Returns the draft of a new rule. */
export function emptyDraft(): RuleDraft {
  return {
    name: '',
    group: { joint: 'all', members: [newComparison()] },
    json: undefined,
    sends: 'scale',
    actionName: SCALE,
    operation: 'scaleUp',
    email: '',
    body: '',
  };
}

/** Returns the draft of a rule that exists. */
export function draftOf(rule: EditedRule): RuleDraft {
  const { name, condition, action } = rule;
  const text = (member: string): string => textOf(action[member]) ?? '';
  const isEmail = text('actionName') === EMAIL;
  return {
    name,
    ...conditionDraftOf(condition),
    sends: isEmail ? 'email' : 'scale',
    actionName: isEmail ? SCALE : text('actionName'),
    operation: isEmail ? 'scaleUp' : text('operation'),
    email: text('email'),
    body: text('body'),
    ...Object.fromEntries(TIMES.map((member) => [member, timeText(rule[member])])),
    resolve: rule.resolve ?? false,
    ...labelsDraftOf(rule.labels),
  };
}

function timeText(seconds: number | undefined): string {
  return seconds === undefined ? '' : secondsText(seconds);
}

/** Returns the rule that a draft says, unchecked: the service checks it. */
export function ruleIn(draft: RuleDraft): RuleBody {
  const { name, sends, actionName, operation, email, body } = draft;
  const action = sends === 'email' ? { actionName: EMAIL, email, body } : { actionName, operation };
  return { name, condition: conditionIn(draft), action, ...ruleOptionsIn(draft) };
}

function ruleOptionsIn(draft: RuleDraft): RuleBody {
  const times = TIMES.flatMap((member) => {
    const text = draft[member] ?? '';
    return text.trim() === '' ? [] : [[member, typedSeconds(text)] as const];
  });
  const labels = labelsIn(draft);
  return {
    ...Object.fromEntries(times),
    ...(draft.resolve === true && { resolve: true }),
    ...(labels !== undefined && { labels }),
  };
}

/** Returns the members in which a draft differs from the rule, null for one that it removes; undefined if there is none. */
export function changeIn(draft: RuleDraft, rule: EditedRule): RuleBody | undefined {
  const before = ruleIn(draftOf(rule));
  const after = ruleIn(draft);
  const members = new Set([...Object.keys(after), ...Object.keys(before)]);
  const changed = [...members].filter(
    (member) => JSON.stringify(after[member]) !== JSON.stringify(before[member]),
  );
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((member) => [member, after[member] ?? null]));
}

/** Returns the fields of a form with this draft, named as the service names them in its problems, in their order. */
export function fieldsOf(draft: RuleDraft): readonly string[] {
  const { sends } = draft;
  const action = sends === 'email' ? ['email', 'body'] : ['operation', 'actionName'];
  return [
    'name',
    'condition',
    ...[...placesIn(draft).values()].flatMap((place) => [
      place,
      ...['operand', 'value', 'aggregate', 'clear'].map((member) => `${place}.${member}`),
    ]),
    'for',
    'repeat',
    'resolve',
    'noData',
    'labels',
    ...action.map((member) => `action.${member}`),
  ];
}
