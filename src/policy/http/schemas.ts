import { array, lazy, number, object, string } from 'yup';
import type { ISchema, Schema } from 'yup';
import { isObject } from '../../untrusted/json.js';
import { ONE_ADDRESS } from '../../untrusted/text.js';
import { METRICS, OPERANDS } from '../rules/condition.js';
import { RULES_LIMIT } from '../rules/rule.js';
import type { RuleChange, RuleDraft } from '../rules/rule.js';
import { ID_PATTERN } from './path-ids.js';

// A message says what is allowed. `validate` puts the path of the member before it.

const NOT_AN_OBJECT = 'must be a JSON object';
const CONTROL = /\p{Cc}/u;
const BLANK = /^\s*$/u;
/** Required in addition to `ONE_ADDRESS`: a domain with a dot. */
const DOTTED = /^[^@]*@[^.@]+(?:\.[^.@]+)+$/;

/** An object with these members and no others. */
function exactly(shape: Readonly<Record<string, ISchema<unknown>>>, hint = '') {
  const allowed = Object.keys(shape).join(', ') + hint;
  return object(shape)
    .typeError(NOT_AN_OBJECT)
    .noUnknown(
      ({ unknown }: { unknown?: string }) => `must not have ${shorten(unknown)}; allowed: ${allowed}`,
    )
    .strict();
}

function shorten(names: string | undefined): string {
  const text = (names ?? 'other members').replaceAll(/\p{Cc}/gu, '?');
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** True for 1 to 256 code points without control characters. */
function isShort(text: string): boolean {
  const length = text.length > 512 ? Infinity : Array.from(text).length;
  return length >= 1 && length <= 256 && !CONTROL.test(text);
}

const NAME = 'must be a string of 1 to 256 characters, not blank and without control characters';
const name = string()
  .strict()
  .typeError(NAME)
  .test('name', NAME, (value) => value === undefined || (isShort(value) && !BLANK.test(value)));

const VALUE = 'must be a JSON number from 0 to 100';
const OPERAND = `must be one of: ${OPERANDS.join(', ')}`;
const statement = exactly({
  value: number().strict().typeError(VALUE).required(VALUE).min(0, VALUE).max(100, VALUE),
  operand: string().strict().typeError(OPERAND).required(OPERAND).oneOf(OPERANDS, OPERAND),
}).nonNullable('must be an object of value and operand');

const condition = exactly({
  cpu: statement.default(undefined).optional(),
  mem: statement.default(undefined).optional(),
  hdd: statement.default(undefined).optional(),
  net: statement.default(undefined).optional(),
})
  .default(undefined)
  .nonNullable(NOT_AN_OBJECT)
  .test(
    'some',
    `must have at least one of ${METRICS.join(', ')}`,
    (value) => !isObject(value) || METRICS.some((metric) => value[metric] !== undefined),
  );

const ADDRESS = 'must be one e-mail address, its domain with a dot, at most 253 characters';
/** Maximum characters of the text of an e-mail. Every firing carries it. */
export const TEXT_LIMIT = 65_536;
const TEXT = `must be a string, not blank, of at most ${TEXT_LIMIT} characters`;
const ACTION_NAME = 'must be a string of 1 to 256 characters without control characters';
const OPERATION = 'must be scaleUp or scaleDown';
const actionName = string()
  .strict()
  .typeError(ACTION_NAME)
  .required(ACTION_NAME)
  .test('action name', ACTION_NAME, (value) => value === undefined || isShort(value));

const emailAction = exactly({
  actionName,
  email: string()
    .strict()
    .typeError(ADDRESS)
    .required(ADDRESS)
    .max(253, ADDRESS)
    .matches(ONE_ADDRESS, ADDRESS)
    .matches(DOTTED, ADDRESS),
  body: string()
    .strict()
    .typeError(TEXT)
    .required(TEXT)
    .max(TEXT_LIMIT, TEXT)
    .test('blank', TEXT, (value) => value === undefined || !BLANK.test(value)),
});

const scaleAction = exactly(
  {
    actionName,
    operation: string()
      .strict()
      .typeError(OPERATION)
      .required(OPERATION)
      .oneOf(['scaleUp', 'scaleDown'], OPERATION),
  },
  '; email and body with the actionName notify-email',
);

const actionOf = (value: unknown) =>
  (isObject(value) && value['actionName'] === 'notify-email' ? emailAction : scaleAction)
    .default(undefined)
    .nonNullable(NOT_AN_OBJECT);

const NEEDED = 'is required, a JSON object';

/** Operation 4, and one rule of operation 11: name, condition and action. */
export const ruleDraft = exactly({
  name: name.nonNullable(NAME).required(NAME),
  condition: condition.required(NEEDED),
  action: lazy((value: unknown) => actionOf(value).required(NEEDED)),
}).required(NOT_AN_OBJECT) as Schema as Schema<RuleDraft>;

/** Operations 6 and 12: any of the three, at least one. */
export const ruleChange = exactly({
  name: name.nonNullable(NAME).optional(),
  condition: condition.optional(),
  action: lazy((value: unknown) => actionOf(value).optional()),
})
  .required(NOT_AN_OBJECT)
  .test(
    'some',
    'must have at least one of name, condition, action',
    (value) => !isObject(value) || ['name', 'condition', 'action'].some((key) => value[key] !== undefined),
  ) as Schema as Schema<RuleChange>;

const SEVERAL = 'must be a rule or a non-empty array of rules';

const TOO_MANY = `must not have more than ${RULES_LIMIT} rules`;

/** The list of rules of operation 11. Its elements are checked with `ruleDraft`. */
export const ruleList = array()
  .strict()
  .typeError(SEVERAL)
  .min(1, SEVERAL)
  .max(RULES_LIMIT, TOO_MANY)
  .required(SEVERAL) as Schema as Schema<readonly unknown[]>;

const RULE_ID_PATTERN = new RegExp(`^${ID_PATTERN}$`);
const RULE_ID = 'must be the id of a rule: 1 to 256 characters of A-Z a-z 0-9 _ -';
/** Maximum characters of a subscription's url. */
export const LONGEST_URL = 2_048;
const URL_TEXT = `must be a URL, a string of at most ${LONGEST_URL} characters`;

/** Operation 15. The route checks whether the url may be called. */
export const subscriptionDraft = exactly({
  ruleId: string().strict().typeError(RULE_ID).required(RULE_ID).matches(RULE_ID_PATTERN, RULE_ID),
  url: string().strict().typeError(URL_TEXT).required(URL_TEXT).max(LONGEST_URL, URL_TEXT),
}).required(NOT_AN_OBJECT) as Schema as Schema<{ ruleId: string; url: string }>;

/** Operation 3. `max` is the largest window size. */
export function windowSizeDraft(max: number): Schema<{ windowsize: number }> {
  const SIZE = `must be an integer from 1 to ${max}`;
  return exactly({
    windowsize: number().strict().typeError(SIZE).required(SIZE).integer(SIZE).min(1, SIZE).max(max, SIZE),
  }).required(NOT_AN_OBJECT) as Schema as Schema<{ windowsize: number }>;
}
