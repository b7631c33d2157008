import { DELIVERY_STATES } from '../../operator/deliveries-view.js';
import type { ApiPart } from '../operation.js';
import { json, query } from '../operation.js';
import { about, anyObject, count, list, object, oneOf, orNull, ref, text, time, varies } from '../schema.js';
import { limit, ofTenant, operatorPart } from './part.js';

/** Deliveries and dead letters. */
export const deliveries: ApiPart = operatorPart(
  'Operator: deliveries',
  'A delivery brings one message to its receiver. Without success it becomes a dead letter.',
  {
    'GET /operator/deliveries': {
      id: 'listDeliveries',
      summary: 'List the deliveries',
      description:
        'The newest first. A page may be shorter than its limit, or empty, with `next` set: at most 5,000 deliveries are ' +
        'read for it.',
      parameters: [
        query('state', oneOf(DELIVERY_STATES)),
        ofTenant,
        query('server', text, 'The id of a server.'),
        query('subscription', text, 'The id of a subscription.'),
        limit,
        query('before', ref('Id'), 'The `next` of the page before.'),
      ],
      answer: json(
        object({
          deliveries: list(ref('Delivery')),
          next: about('The `before` of the next page. null on the last one.', orNull(varies(text))),
        }),
      ),
    },
    'GET /operator/deliveries/{id}': {
      id: 'showDelivery',
      summary: 'Show a delivery with its message and the answer to each attempt',
      answer: json(ref('Delivery')),
      errors: [404],
    },
    'POST /operator/deliveries/redeliver': {
      id: 'redeliverAll',
      summary: 'Send all dead letters of a subscription again',
      body: { content: json(object({ subscriptionId: ref('Id') })) },
      answer: json(object({ redelivered: count })),
      errors: [404],
    },
    'POST /operator/deliveries/{tenant}/{id}/redelivery': {
      id: 'redeliver',
      summary: 'Send a dead letter again',
      answer: json(object({ id: ref('Id'), state: { const: 'pending' } })),
      errors: [404, 409],
    },
    'DELETE /operator/deliveries/{id}': {
      id: 'discard',
      summary: 'Discard a dead letter',
      answer: json(object({ id: ref('Id'), state: { const: 'discarded' } })),
      errors: [404, 409],
    },
  },
  {
    Delivery: object(
      {
        id: ref('Id'),
        tenant: varies(text),
        server: text,
        subscriptionId: ref('Id'),
        transactionHash: about('Of a mirrored receipt.', text),
        state: oneOf(DELIVERY_STATES),
        channel: oneOf(['webhook', 'email', 'mirror']),
        to: about('The url, or the address of the recipient.', text),
        since: time,
        nextAttemptAt: orNull(time),
        attempts: list(object({ at: time, result: text, detail: text })),
        message: anyObject,
      },
      ['server', 'subscriptionId', 'transactionHash'],
    ),
  },
);
