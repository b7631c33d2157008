import { ruleOptions } from './schemas.js';
import { type ApiPart, json } from '../operation.js';
import { list, object, ref, text, UNREADABLE } from '../schema.js';
import { busy, server, SERVER, SERVER_RULE, tenant } from './examples.js';
import { NOTHING, policyPart } from '../apis.js';

const one = { ...server, ruleId: SERVER_RULE };
const shown = { ...busy, ruleId: SERVER_RULE };
const changed = { action: { actionName: 'notify-scale', operation: 'scaleDown' } };

/** Operations 9 to 14 of the policy API. */
export const servers: ApiPart = policyPart(
  'Servers',
  'Monitored machines and their own rules. A server is known after its first rule, subscription or fact.',
  {
    'POST /v1.0/{tenantId}/servers/{serverId}/rules': {
      id: 'addServerRules',
      summary: 'Add a rule, or several, to a server (operation 11)',
      description: 'Several rules in one request are added all or none.',
      body: { content: json({ anyOf: [ref('RuleDraft'), ref('RuleList')] }) },
      answer: json({
        anyOf: [
          object({ serverId: text, ruleId: ref('Id') }),
          object({ serverId: text, rules: list(object({ ruleId: ref('Id') })) }),
        ],
      }),
      errors: [409],
      examples: [
        { name: 'busy', parameters: server, body: busy, answer: { serverId: SERVER, ruleId: SERVER_RULE } },
      ],
    },
    'GET /v1.0/{tenantId}/servers': {
      id: 'listServers',
      summary: 'List the servers with their rules (operation 9)',
      description: 'Ordered by id, streamed.',
      answer: json(
        object({
          servers: list(
            object({
              serverId: text,
              rules: list(
                object({
                  condition: ref('Condition'),
                  action: ref('Action'),
                  ruleId: ref('Id'),
                  ...ruleOptions,
                }),
              ),
              'unreadable?': UNREADABLE,
            }),
          ),
        }),
      ),
      examples: [
        {
          name: 'one-server',
          parameters: tenant,
          answer: {
            servers: [
              {
                serverId: SERVER,
                rules: [{ condition: busy.condition, action: busy.action, ruleId: SERVER_RULE }],
              },
            ],
          },
        },
      ],
    },
    'GET /v1.0/{tenantId}/servers/{serverId}': {
      id: 'showServer',
      summary: 'Show the rules of a server (operation 10)',
      answer: json(object({ serverId: text, rules: list(ref('Rule')) })),
      errors: [404],
      examples: [{ name: 'web-1', parameters: server, answer: { serverId: SERVER, rules: [shown] } }],
    },
    'GET /v1.0/{tenantId}/servers/{serverId}/rules/{ruleId}': {
      id: 'showServerRule',
      summary: 'Show a rule of a server (operation 14)',
      answer: json(ref('Rule')),
      errors: [404],
      examples: [{ name: 'busy', parameters: one, answer: shown }],
    },
    'PUT /v1.0/{tenantId}/servers/{serverId}/rules/{ruleId}': {
      id: 'changeServerRule',
      summary: 'Change a rule of a server (operation 12)',
      body: { content: json(ref('RuleChange')) },
      answer: json(ref('RuleDraft')),
      errors: [404, 409],
      examples: [{ name: 'scale-down', parameters: one, body: changed, answer: { ...busy, ...changed } }],
    },
    'DELETE /v1.0/{tenantId}/servers/{serverId}/rules/{ruleId}': {
      id: 'removeServerRule',
      summary: 'Remove a rule of a server and its subscriptions (operation 13)',
      answer: NOTHING,
      errors: [404],
      examples: [{ name: 'busy', parameters: one, answer: '' }],
    },
  },
);
