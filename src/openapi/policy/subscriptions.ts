import { type ApiPart, json } from '../operation.js';
import { object, ref } from '../schema.js';
import {
  FULL_SERVER,
  FULL_SUBSCRIPTION,
  GENERIC_RULE,
  RECEIVER,
  SERVER,
  SERVER_RULE,
  SUBSCRIPTION,
  TAKING_RECEIVER,
} from './examples.js';
import { NOTHING, policyPart, TENANT_OR_OPERATOR } from '../apis.js';

const draft = { ruleId: SERVER_RULE, url: RECEIVER };

/** Operations 15 to 17 of the policy API. */
export const subscriptions: ApiPart = policyPart(
  'Subscriptions',
  'A subscription binds a rule to a webhook url on one server. Only rules with a subscription are evaluated.',
  {
    'POST /v1.0/{tenantId}/servers/{serverId}/subscription': {
      id: 'subscribe',
      access: TENANT_OR_OPERATOR,
      summary: 'Subscribe a url to a rule (operation 15)',
      description: 'The same rule and url again answer the same id, and end a suspension.',
      body: { content: json(ref('SubscriptionDraft')) },
      answer: json(object({ subscriptionId: ref('Id') })),
      errors: [404, 409],
      examples: {
        busy: { body: draft, answer: { subscriptionId: SUBSCRIPTION } },
        'rule-of-the-tenant': {
          parameters: { serverId: FULL_SERVER },
          body: { ruleId: GENERIC_RULE, url: TAKING_RECEIVER },
          answer: { subscriptionId: FULL_SUBSCRIPTION },
        },
      },
    },
    'GET /v1.0/{tenantId}/servers/{serverId}/subscription/{subscriptionId}': {
      id: 'showSubscription',
      access: TENANT_OR_OPERATOR,
      summary: 'Show a subscription (operation 17)',
      answer: json(ref('Subscription')),
      examples: {
        busy: {
          answer: { subscriptionId: SUBSCRIPTION, url: RECEIVER, serverId: SERVER, ruleId: SERVER_RULE },
        },
      },
    },
    'DELETE /v1.0/{tenantId}/servers/{serverId}/subscription/{subscriptionId}': {
      id: 'unsubscribe',
      access: TENANT_OR_OPERATOR,
      summary: 'End a subscription (operation 16)',
      description: 'Messages that fired before are still delivered.',
      answer: NOTHING,
      examples: { busy: { answer: '' } },
    },
  },
);
