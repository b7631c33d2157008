import { array, boolean, lazy, mixed, type Schema, string } from 'yup';
import type { MetricSettings } from '../../config/metrics.js';
import { isoTime } from '../../untrusted/iso-time.js';
import { isObject } from '../../untrusted/json.js';
import { ONE_ADDRESS } from '../../untrusted/text.js';
import { LONGEST_MUTE_S, type WantedMute } from '../mute/mute-end.js';
import { type RuleChange, type RuleDraft, RULES_LIMIT, RULE_OPTIONS } from '../rules/rule.js';
import { conditionSchema } from './condition-schema.js';
import { bodyOf, exactly, integer, NOT_A_TIME, NOT_AN_OBJECT, strictly, text } from './validate.js';

// A message says what is allowed. `validate` puts the path of the member before it.

const CONTROL = /\p{Cc}/u;
const BLANK = /^\s*$/u;
/** Required in addition to `ONE_ADDRESS`: a domain with a dot. */
const DOTTED = /^[^@]*@[^.@]+(?:\.[^.@]+)+$/;

/** True for 1 to 256 code points without control characters. */
export function isShort(text: string): boolean {
  const length = text.length > 512 ? Infinity : Array.from(text).length;
  return length >= 1 && length <= 256 && !CONTROL.test(text);
}

const NAME = 'must be a string of 1 to 256 characters, not blank and without control characters';
const name = strictly(string(), NAME).test(
  'name',
  NAME,
  (value) => value === undefined || (isShort(value) && !BLANK.test(value)),
);

const ADDRESS = 'must be one e-mail address, its domain with a dot, at most 253 characters';
/** Maximum characters of the text of an e-mail. Every firing carries it. */
export const TEXT_LIMIT = 65_536;
const TEXT = `must be a string, not blank, of at most ${TEXT_LIMIT} characters`;
const ACTION_NAME = 'must be a string of 1 to 256 characters without control characters';
const OPERATION = 'must be scaleUp or scaleDown';
const actionName = text(ACTION_NAME).test(
  'action name',
  ACTION_NAME,
  (value) => value === undefined || isShort(value),
);

const emailAction = exactly({
  actionName,
  email: text(ADDRESS).max(253, ADDRESS).matches(ONE_ADDRESS, ADDRESS).matches(DOTTED, ADDRESS),
  body: text(TEXT)
    .max(TEXT_LIMIT, TEXT)
    .test('blank', TEXT, (value) => value === undefined || !BLANK.test(value)),
});

const scaleAction = exactly(
  {
    actionName,
    operation: text(OPERATION).oneOf(['scaleUp', 'scaleDown'], OPERATION),
  },
  '; email and body with the actionName notify-email',
);

const actionOf = (value: unknown) =>
  (isObject(value) && value['actionName'] === 'notify-email' ? emailAction : scaleAction)
    .default(undefined)
    .nonNullable(NOT_AN_OBJECT);

const NEEDED = 'is required, a JSON object';

/** Maximum of `for`, `repeat` and `noData`, s: 7 days. */
export const LONGEST_OPTION_S = 604_800;
/** Minimum time that `noData` takes, s. */
export const SHORTEST_NO_DATA = 10;

const seconds = (min: number) => {
  const message = `must be an integer from ${min} to ${LONGEST_OPTION_S}, in seconds`;
  return integer(min, LONGEST_OPTION_S, message);
};
const BOOLEAN = 'must be true or false';

/** Maximum number of labels of a rule. */
export const LABELS_LIMIT = 16;
/** The name of a label. */
export const LABEL_NAME = '[a-zA-Z_][a-zA-Z0-9_]{0,63}';
const LABEL_NAME_PATTERN = new RegExp(`^${LABEL_NAME}$`);
const LABELS =
  `must be a JSON object of at most ${LABELS_LIMIT} labels, its names of ${LABEL_NAME}, its values strings of 1 to 256 ` +
  'characters without control characters';
const labels = strictly(mixed(), LABELS).test('labels', LABELS, (value) => {
  if (value === undefined || value === null) return true;
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  const isLabel = ([labelName, text]: readonly [string, unknown]): boolean =>
    LABEL_NAME_PATTERN.test(labelName) && typeof text === 'string' && isShort(text);
  return entries.length <= LABELS_LIMIT && entries.every(isLabel);
});
const options = {
  for: seconds(0),
  repeat: seconds(0),
  resolve: strictly(boolean(), BOOLEAN),
  noData: seconds(SHORTEST_NO_DATA),
  labels,
};
const takenAway = Object.fromEntries(
  Object.entries(options).map(([member, schema]) => [member, schema.nullable()]),
);

/** Makes the schemas of rules, given the metrics of the settings. `hint` follows the names of the allowed members. */
export function ruleSchemas(metrics: MetricSettings, hint = '') {
  const condition = conditionSchema(metrics);
  const members = ['name', 'condition', 'action', ...RULE_OPTIONS] as const;
  return {
    /** Operation 4, and one rule of operation 11: name, condition, action, and options. */
    ruleDraft: bodyOf<RuleDraft>(
      {
        name: name.required(NAME),
        condition: lazy((value: unknown) => condition(value).required(NEEDED)),
        action: lazy((value: unknown) => actionOf(value).required(NEEDED)),
        ...options,
      },
      hint,
    ),
    /** Operations 6 and 12: any of these, at least one. null removes an option. */
    ruleChange: bodyOf<RuleChange>({
      name,
      condition: lazy((value: unknown) => condition(value).optional()),
      action: lazy((value: unknown) => actionOf(value).optional()),
      ...takenAway,
    }).test(
      'some',
      `must have at least one of ${members.join(', ')}`,
      (value) => !isObject(value) || members.some((key) => value[key] !== undefined),
    ),
  };
}

const SEVERAL = 'must be a rule or a non-empty array of rules';

const TOO_MANY = `must not have more than ${RULES_LIMIT} rules`;

/** The list of rules of operation 11. Its elements are checked with `ruleDraft`. */
export const ruleList = strictly(array(), SEVERAL)
  .min(1, SEVERAL)
  .max(RULES_LIMIT, TOO_MANY)
  .required(SEVERAL);

/** Operation 3. `max` is the largest window size. */
export function windowSizeDraft(max: number): Schema<{ windowsize: number }> {
  const SIZE = `must be an integer from 1 to ${max}`;
  return bodyOf({ windowsize: integer(1, max, SIZE).required(SIZE) });
}

/** Maximum characters of the note of an acknowledgement. */
export const NOTE_LIMIT = 1_000;
const NOTE = `must be a string of at most ${NOTE_LIMIT} characters`;

/** The body of an acknowledgement (docs/policy-api.md, "Subscriptions"). */
export const wantedAck = bodyOf<{ readonly note?: string }>({
  note: strictly(string(), NOTE).max(NOTE_LIMIT, NOTE),
});

const FOR = `must be an integer from 1 to ${LONGEST_MUTE_S}, in seconds`;

/** The body of a mute (docs/policy-api.md, "Subscriptions"). `muteEnd` checks whether `until` is in the future. */
export const wantedMute = bodyOf<WantedMute>({
  for: integer(1, LONGEST_MUTE_S, FOR),
  until: strictly(string(), NOT_A_TIME).test(
    'time',
    NOT_A_TIME,
    (value) => value === undefined || isoTime(value) !== undefined,
  ),
  comment: strictly(string(), NOTE).max(NOTE_LIMIT, NOTE),
}).test(
  'one',
  'must have one of for, until',
  (value) => !isObject(value) || (value['for'] === undefined) !== (value['until'] === undefined),
);
