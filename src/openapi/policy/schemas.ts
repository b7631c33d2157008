import { ID_PATTERN } from '../../policy/http/path-ids.js';
import { LONGEST_URL, TEXT_LIMIT } from '../../policy/http/schemas.js';
import { METRICS, OPERANDS } from '../../policy/rules/condition.js';
import { RULES_LIMIT } from '../../policy/rules/rule.js';
import {
  about,
  anyObject,
  count,
  integer,
  list,
  object,
  oneOf,
  ref,
  type Schema,
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

const rule = { name, condition: ref('Condition'), action: ref('Action') };
const draft = object(rule);
const { required: _all, ...anyOfRule } = draft as { required?: unknown };

/** The schemas of the policy API, from the limits that its validation uses. */
export const policySchemas: Readonly<Record<string, Schema>> = {
  Id: about('An id that the service made.', varies({ type: 'string', pattern: `^${ID_PATTERN}$` })),
  Comparison: object({ value: { type: 'number', minimum: 0, maximum: 100 }, operand: oneOf(OPERANDS) }),
  Condition: {
    ...object(Object.fromEntries(METRICS.map((metric) => [metric, ref('Comparison')])), METRICS),
    minProperties: 1,
    description: 'Comparisons of the means of windows, in percent. All must hold.',
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
  RuleDraft: draft,
  RuleChange: {
    ...anyOfRule,
    minProperties: 1,
    description: 'Each member that is given replaces the old one.',
  },
  Rule: object({ ...rule, ruleId: ref('Id') }),
  RuleList: list(ref('RuleDraft'), { minItems: 1, maxItems: RULES_LIMIT }),
  SubscriptionDraft: object({
    ruleId: { type: 'string', pattern: `^${ID_PATTERN}$` },
    url: { type: 'string', maxLength: LONGEST_URL, description: 'http or https, used as written.' },
  }),
  Subscription: object(
    {
      subscriptionId: ref('Id'),
      url: text,
      serverId: text,
      ruleId: ref('Id'),
      suspended: about('When its receiver refused too much. Absent otherwise.', time),
    },
    ['suspended'],
  ),
  Tenant: object({
    owner: about('As in the path.', text),
    windowsize: { type: 'integer', minimum: 1 },
    version: { const: '1.0' },
    runningfrom: about('The start of the service.', time),
    doc: about('The address of the documentation.', varies({ type: 'string', format: 'uri' })),
  }),
  WebhookSecret: object(
    {
      secret: varies({ type: 'string', pattern: '^whsec_' }),
      previous: about(
        'The secret before, while it signs.',
        object({ secret: varies({ type: 'string', pattern: '^whsec_' }), until: time }),
      ),
    },
    ['previous'],
  ),
  FactsTaken: object({
    id: { ...count, description: 'The number of the last fact of this server.' },
    title: about('What was taken, and how many firings followed.', text),
  }),
  Measurements: {
    description:
      'A notification of a context broker: of NGSI-10 (`contextResponses`), or of NGSIv2 or NGSI-LD (`data`).',
    anyOf: [ref('Ngsi10Notification'), ref('NgsiNotification')],
  },
  Ngsi10Notification: {
    type: 'object',
    required: ['contextResponses'],
    properties: {
      subscriptionId: text,
      contextResponses: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['contextElement'],
          properties: {
            contextElement: {
              type: 'object',
              required: ['attributes'],
              properties: {
                id: text,
                type: text,
                isPattern: { enum: ['false', false] },
                attributes: list(ref('Attribute')),
              },
            },
            statusCode: {
              type: 'object',
              required: ['code'],
              properties: { code: { type: ['string', 'integer'] } },
            },
          },
        },
      },
    },
  },
  NgsiNotification: {
    type: 'object',
    required: ['data'],
    properties: {
      subscriptionId: text,
      data: {
        type: 'array',
        minItems: 1,
        items: about(
          'An entity: each of its measuring attributes has a decimal from 0 to 100, as a member `value` or plain.',
          anyObject,
        ),
      },
    },
  },
  Attribute: {
    type: 'object',
    description:
      '`cpuLoadPct` measures cpu, `usedMemPct` mem, `netLoadPct` net, `freeSpacePct` hdd. Others are ignored. The value of these is a decimal from 0 to 100, a string or a number.',
    required: ['name'],
    properties: { name: text, type: text, value: true },
  },
};

/** A windowsize up to WINDOW_MAX. */
export function windowSize(max: number): Schema {
  return object({ windowsize: integer(1, max) });
}
