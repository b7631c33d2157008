import { SUBSCRIPTIONS_PAGE, SUBSCRIPTIONS_PAGE_MAX } from '../../policy/http/subscription-query.js';
import { type ApiPart, json, query } from '../operation.js';
import { integer, list, object, ref, text } from '../schema.js';
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
import { after, dryRun, next, NOTHING, policyPart } from '../apis.js';

const draft = { ruleId: SERVER_RULE, url: RECEIVER };

/** Operations 15 to 17 of the policy API, and the list of subscriptions. */
export const subscriptions: ApiPart = policyPart(
  'Subscriptions',
  'A subscription binds a rule to a webhook url on one server. Only rules with a subscription are evaluated.',
  {
    'POST /v1.0/{tenantId}/servers/{serverId}/subscription': {
      id: 'subscribe',
      parameters: [dryRun],
      summary: 'Subscribe a url to a rule (operation 15)',
      description:
        'The same rule, url and form again answer the same id, and end a suspension. A template is tried on a sample of each ' +
        'state that the rule can send.',
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
      summary: 'Show a subscription (operation 17)',
      answer: json(ref('Subscription')),
      examples: {
        busy: {
          answer: { subscriptionId: SUBSCRIPTION, url: RECEIVER, serverId: SERVER, ruleId: SERVER_RULE },
        },
      },
    },
    'GET /v1.0/{tenantId}/subscriptions': {
      id: 'listSubscriptions',
      summary: 'List the subscriptions of the tenant',
      description:
        'Ordered by server, then by id. A page may be short or empty. `next` leads to the next one, and is null on the last page.',
      parameters: [
        query('server', text, 'The id of a server.'),
        query('rule', text, 'The id or the name of a rule.'),
        after,
        query('limit', integer(1, SUBSCRIPTIONS_PAGE_MAX), `Default ${SUBSCRIPTIONS_PAGE}.`),
      ],
      answer: json(
        object({
          subscriptions: list(ref('Subscription')),
          next,
        }),
      ),
      examples: {
        'of-a-rule': {
          parameters: { rule: 'busy' },
          answer: {
            subscriptions: [
              { subscriptionId: SUBSCRIPTION, url: RECEIVER, serverId: SERVER, ruleId: SERVER_RULE },
            ],
            next: null,
          },
        },
      },
    },
    'DELETE /v1.0/{tenantId}/servers/{serverId}/subscription/{subscriptionId}': {
      id: 'unsubscribe',
      summary: 'End a subscription (operation 16)',
      description: 'Messages that fired before are still delivered.',
      answer: NOTHING,
      examples: { busy: { answer: '' } },
    },
  },
);
