import { ID_PATTERN } from '../../policy/http/path-ids.js';
import { COMPARISONS_LIMIT, DEPTH_LIMIT, MEMBERS_LIMIT } from '../../policy/http/condition-schema.js';
import {
  LABEL_NAME,
  LABELS_LIMIT,
  LONGEST_OPTION_S,
  SHORTEST_NO_DATA,
  TEXT_LIMIT,
} from '../../policy/http/schemas.js';
import { LONGEST_URL } from '../../policy/http/subscription-schema.js';
import { formMembers, shownFormMembers } from './forms.js';
import type { RefusedElement } from '../../policy/http/facts-by-entity-body.js';
import { AGGREGATES, OPERANDS } from '../../policy/rules/condition.js';
import { RULES_LIMIT, type RuleOptions } from '../../policy/rules/rule.js';
import { METRICS } from '../../policy/rules/metrics.js';
import {
  about,
  anyObject,
  count,
  integer,
  list,
  number,
  object,
  openObject,
  oneOf,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  time,
  varies,
} from '../schema.js';

/** 1 to 256 characters, not blank and without control characters. */
const shortText: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
};
const name: Schema = { ...shortText, pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]*$' };

const members: Schema = list(ref('Condition'), { minItems: 1, maxItems: MEMBERS_LIMIT });
const seconds = (minimum: number): Schema => ({ type: 'integer', minimum, maximum: LONGEST_OPTION_S });

const secret: Schema = varies({ type: 'string', pattern: '^whsec_' });

/** The options of a rule. */
export const ruleOptions: Readonly<Record<`${keyof RuleOptions}?`, Schema>> = {
  'for?': about('Seconds for which the condition holds before the rule fires.', seconds(0)),
  'repeat?': about(
    'Seconds between two firings; 0: no second one until the condition has ended.',
    seconds(0),
  ),
  'resolve?': about('A message is sent when the condition has ended.', { type: 'boolean' }),
  'noData?': about('Seconds without a measurement after which a message is sent.', seconds(SHORTEST_NO_DATA)),
  'labels?': about(
    'Words by name, for people and filters. `severity` sorts. Only alerts at an Alertmanager have them.',
    {
      type: 'object',
      maxProperties: LABELS_LIMIT,
      propertyNames: { pattern: `^${LABEL_NAME}$` },
      additionalProperties: shortText,
    },
  ),
};
const takenAway = Object.fromEntries(
  Object.entries(ruleOptions).map(([member, schema]) => [member, orNull(schema)]),
);

const rule = { name, condition: ref('Condition'), action: ref('Action') };

/** The schemas of the policy API, from the limits that its validation uses. */
export const policySchemas: Readonly<Record<string, Schema>> = {
  Id: about('An id that the service made.', varies({ type: 'string', pattern: `^${ID_PATTERN}$` })),
  Comparison: object({
    value: { type: 'number', minimum: 0, maximum: 100 },
    operand: oneOf(OPERANDS),
    'clear?': about(
      'The clear threshold: a comparison that holds ends when its aggregate no longer satisfies the operand against this number. On the calm side of `value`.',
      number,
    ),
    'aggregate?': about('Of the values in the window. Without it the mean.', oneOf(AGGREGATES)),
  }),
  Comparisons: {
    ...object(Object.fromEntries(METRICS.map((metric) => [`${metric}?`, ref('Comparison')]))),
    minProperties: 1,
    description: 'All must hold. With the setting METRICS there are further metrics, with other values.',
  },
  Condition: {
    description: `Comparisons, or one of \`any\`, \`all\` and \`not\`. These nest at most ${DEPTH_LIMIT} deep, with at most ${COMPARISONS_LIMIT} comparisons together.`,
    oneOf: [
      ref('Comparisons'),
      object({ any: members }),
      object({ all: members }),
      object({ not: ref('Condition') }),
    ],
  },
  Action: {
    description: 'With `notify-email` an e-mail is sent beside the webhook.',
    oneOf: [ref('EmailAction'), ref('ScaleAction')],
  },
  EmailAction: object({
    actionName: { const: 'notify-email' },
    email: {
      type: 'string',
      maxLength: 253,
      pattern: '^[^@\\s]+@[^@\\s.]+(\\.[^@\\s.]+)+$',
      description: 'One address, its domain with a dot.',
    },
    body: { type: 'string', maxLength: TEXT_LIMIT, pattern: '\\S', description: 'The text of the e-mail.' },
  }),
  ScaleAction: object({
    actionName: { allOf: [shortText], not: { const: 'notify-email' } },
    operation: oneOf(['scaleUp', 'scaleDown']),
  }),
  RuleDraft: object({ ...rule, ...ruleOptions }),
  RuleChange: {
    ...object({ 'name?': name, 'condition?': ref('Condition'), 'action?': ref('Action'), ...takenAway }),
    minProperties: 1,
    description: 'Each member that is given replaces the old one.',
  },
  Rule: object({ ...rule, ruleId: ref('Id'), ...ruleOptions }),
  RuleList: list(ref('RuleDraft'), { minItems: 1, maxItems: RULES_LIMIT }),
  SubscriptionDraft: object({
    ruleId: { type: 'string', pattern: `^${ID_PATTERN}$` },
    url: {
      type: 'string',
      minLength: 1,
      maxLength: LONGEST_URL,
      description: 'http or https, used as written.',
    },
    ...formMembers,
  }),
  Subscription: object({
    subscriptionId: ref('Id'),
    url: text,
    serverId: text,
    ruleId: ref('Id'),
    ...shownFormMembers,
    'mutedUntil?': about('While it is muted. Absent otherwise.', time),
    'suspended?': about('When its receiver refused too much. Absent otherwise.', time),
  }),
  Tenant: object({
    owner: about('As in the path.', text),
    windowsize: { type: 'integer', minimum: 1 },
    version: { const: '1.0' },
    runningfrom: about('The start of the service.', time),
    doc: about('The address of the documentation.', varies({ type: 'string', format: 'uri' })),
  }),
  WebhookSecret: object({
    secret,
    'previous?': about('The secret before, while it signs.', object({ secret, until: time })),
  }),
  FactsTaken: object({
    id: { ...count, description: 'The number of the last fact of this server.' },
    title: about('What was taken, and how many firings followed.', text),
  }),
  NotificationTaken: object({
    facts: { ...count, description: 'The number of facts taken.' },
    firings: { ...count, description: 'The number of firings that followed.' },
    servers: { ...count, description: 'The number of servers with a fact taken.' },
    title: about('What was taken, how many firings followed, and how many elements were refused.', text),
    'refused?': about(
      'The elements that were left out; absent if there are none. At most 256 KiB of them.',
      list(
        shape<RefusedElement>({
          index: about('Position of the element in the body, from 0 on.', count),
          id: about('Its id; null if it is not a string.', orNull({ type: 'string', maxLength: 256 })),
          message: about('What is wrong with it, or why its server takes none of its elements.', text),
        }),
        { minItems: 1 },
      ),
    ),
  }),
  Measurements: {
    description:
      'A notification of a context broker: of NGSI-10 (`contextResponses`), or of NGSIv2 or NGSI-LD (`data`).',
    anyOf: [ref('Ngsi10Notification'), ref('NgsiNotification')],
  },
  Ngsi10Notification: openObject({
    'subscriptionId?': text,
    contextResponses: {
      type: 'array',
      minItems: 1,
      items: openObject({
        contextElement: openObject({
          'id?': text,
          'type?': text,
          'isPattern?': { enum: ['false', false] },
          attributes: list(ref('Attribute')),
        }),
        'statusCode?': openObject({ code: { type: ['string', 'integer'] } }),
      }),
    },
  }),
  NgsiNotification: openObject({
    'subscriptionId?': text,
    data: {
      type: 'array',
      minItems: 1,
      items: about(
        'An entity: each of its measuring attributes has a decimal from 0 to 100, as a member `value` or plain. A null attribute is absent. Of several instances the one without a `datasetId` counts. A value whose `observedAt`, else `modifiedAt`, is not later than that of the last one counted is not counted.',
        anyObject,
      ),
    },
  }),
  Attribute: openObject(
    { name: text, 'type?': text, 'value?': true },
    {
      description:
        '`cpuLoadPct` measures cpu, `usedMemPct` mem, `netLoadPct` net, `freeSpacePct` hdd. Others are ignored. The value of these is a decimal from 0 to 100, a string or a number.',
    },
  ),
};

/** A windowsize up to WINDOW_MAX. */
export function windowSize(max: number): Schema {
  return object({ windowsize: integer(1, max) });
}
