import { ruleOptions } from './schemas.js';
import { type ApiPart, json } from '../operation.js';
import { list, object, ref, text, UNREADABLE } from '../schema.js';
import { busy, SERVER, SERVER_RULE } from './examples.js';
import { dryRun, NOTHING, policyPart } from '../apis.js';

const shown = { ...busy, ruleId: SERVER_RULE };
const changed = { action: { actionName: 'notify-scale', operation: 'scaleDown' } };

/** Operations 9 to 14 of the policy API. */
export const servers: ApiPart = policyPart(
  'Servers',
  'Monitored machines and their own rules. A server is known after its first rule, subscription or fact.',
  {
    'POST /v1.0/{tenantId}/servers/{serverId}/rules': {
      id: 'addServerRules',
      parameters: [dryRun],
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
      examples: {
        busy: { body: busy, answer: { serverId: SERVER, ruleId: SERVER_RULE } },
      },
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
      examples: {
        'one-server': {
          answer: {
            servers: [
              {
                serverId: SERVER,
                rules: [{ condition: busy.condition, action: busy.action, ruleId: SERVER_RULE }],
              },
            ],
          },
        },
      },
    },
    'GET /v1.0/{tenantId}/servers/{serverId}': {
      id: 'showServer',
      summary: 'Show the rules of a server (operation 10)',
      answer: json(object({ serverId: text, rules: list(ref('Rule')) })),
      examples: { 'web-1': { answer: { serverId: SERVER, rules: [shown] } } },
    },
    'DELETE /v1.0/{tenantId}/servers/{serverId}': {
      id: 'deleteServer',
      summary: 'Delete a server with all its data',
      description:
        'Its rules, subscriptions, windows, history, trend, dead letters and messages that were not delivered. Its next fact makes ' +
        'it anew.',
      answer: NOTHING,
      examples: { 'web-1': { answer: '' } },
    },
    'GET /v1.0/{tenantId}/servers/{serverId}/rules/{ruleId}': {
      id: 'showServerRule',
      summary: 'Show a rule of a server (operation 14)',
      answer: json(ref('Rule')),
      examples: { busy: { answer: shown } },
    },
    'PUT /v1.0/{tenantId}/servers/{serverId}/rules/{ruleId}': {
      id: 'changeServerRule',
      parameters: [dryRun],
      summary: 'Change a rule of a server (operation 12)',
      body: { content: json(ref('RuleChange')) },
      answer: json(ref('RuleDraft')),
      errors: [409],
      examples: { 'scale-down': { body: changed, answer: { ...busy, ...changed } } },
    },
    'DELETE /v1.0/{tenantId}/servers/{serverId}/rules/{ruleId}': {
      id: 'removeServerRule',
      summary: 'Remove a rule of a server and its subscriptions (operation 13)',
      answer: NOTHING,
      examples: { busy: { answer: '' } },
    },
  },
);
