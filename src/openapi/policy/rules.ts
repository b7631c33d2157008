import { type ApiPart, json, refusal } from '../operation.js';
import { list, object, ref } from '../schema.js';
import { full, GENERIC_RULE } from './examples.js';
import { dryRun, NOTHING, policyPart } from '../apis.js';

const one = { ruleId: GENERIC_RULE };
const shown = { ...full, ruleId: GENERIC_RULE };
const changed = { name: 'disk nearly full' };

/** Operations 4 to 8 of the policy API. */
export const rules: ApiPart = policyPart(
  'Rules of the tenant',
  'Generic rules. Each applies to every server with a subscription to it.',
  {
    'POST /v1.0/{tenantId}/rules': {
      id: 'addRule',
      parameters: [dryRun],
      summary: 'Add a rule (operation 4)',
      body: { content: json(ref('RuleDraft')) },
      answer: json(object({ ruleId: ref('Id') })),
      errors: [409],
      examples: {
        'disk-full': { body: full, answer: { ruleId: GENERIC_RULE } },
        faulty: {
          body: { ...full, condition: { hdd: { value: 101, operand: 'above' } } },
          ...refusal(
            400,
            'condition.hdd.value: must be a JSON number from 0 to 100; condition.hdd.operand: must be one of: greater, less, greater equal, less equal',
          ),
        },
      },
    },
    'GET /v1.0/{tenantId}/rules': {
      id: 'listRules',
      summary: 'List the rules (operation 5)',
      answer: json(object({ rules: list(ref('Rule')) })),
      examples: { 'one-rule': { answer: { rules: [shown] } } },
    },
    'GET /v1.0/{tenantId}/rules/{ruleId}': {
      id: 'showRule',
      summary: 'Show a rule (operation 8)',
      answer: json(ref('Rule')),
      examples: { 'disk-full': { parameters: one, answer: shown } },
    },
    'PUT /v1.0/{tenantId}/rules/{ruleId}': {
      id: 'changeRule',
      parameters: [dryRun],
      summary: 'Change a rule (operation 6)',
      description: 'A change applies to every server with a subscription to the rule.',
      body: { content: json(ref('RuleChange')) },
      answer: json(ref('RuleDraft')),
      errors: [409],
      examples: { 'new-name': { parameters: one, body: changed, answer: { ...full, ...changed } } },
    },
    'DELETE /v1.0/{tenantId}/rules/{ruleId}': {
      id: 'removeRule',
      summary: 'Remove a rule and its subscriptions (operation 7)',
      answer: NOTHING,
      examples: { 'disk-full': { parameters: one, answer: '' } },
    },
  },
);
