import { DELIVERY_STATES } from '../../operator/deliveries-view.js';
import { type ApiPart, json, query, refusal } from '../operation.js';
import {
  about,
  count,
  flag,
  list,
  number,
  object,
  oneOf,
  orNull,
  ref,
  text,
  time,
  varies,
} from '../schema.js';
import { MAIL_DELIVERY, mailed, refused } from './examples.js';
import { DELIVERY, FULL_SUBSCRIPTION, SUBSCRIPTION } from '../policy/examples.js';
import { limit, ofNamedTenant, operatorPart } from '../apis.js';

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
        ofNamedTenant,
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
      examples: {
        'dead-letters': {
          parameters: { subscription: SUBSCRIPTION, state: 'dead' },
          answer: { deliveries: [refused(1)], next: null },
        },
        newest: {
          parameters: { subscription: FULL_SUBSCRIPTION, limit: 1 },
          answer: { deliveries: [mailed], next: MAIL_DELIVERY },
        },
      },
    },
    'POST /operator/deliveries/{tenant}/{id}/redelivery': {
      id: 'redeliver',
      summary: 'Send a dead letter again',
      answer: json(object({ id: ref('Id'), state: { const: 'pending' } })),
      errors: [404, 409],
      examples: {
        again: { answer: { id: DELIVERY, state: 'pending' } },
        unknown: {
          parameters: { tenant: 'nobody', id: 'msg_0' },
          ...refusal(404, 'no delivery msg_0 of the tenant with the id nobody'),
        },
      },
    },
    'GET /operator/deliveries/{id}': {
      id: 'showDelivery',
      summary: 'Show a delivery with its message and the answer to each attempt',
      answer: json(ref('Delivery')),
      examples: { 'refused-twice': { answer: refused(2) } },
    },
    'POST /operator/deliveries/redeliver': {
      id: 'redeliverAll',
      summary: 'Send all dead letters of a subscription again',
      body: { content: json(object({ subscriptionId: ref('Id') })) },
      answer: json(object({ redelivered: count })),
      errors: [404],
      examples: {
        'one-dead-letter': { body: { subscriptionId: SUBSCRIPTION }, answer: { redelivered: 1 } },
      },
    },
    'DELETE /operator/deliveries/{id}': {
      id: 'discard',
      summary: 'Discard a dead letter',
      answer: json(object({ id: ref('Id'), state: { const: 'discarded' } })),
      errors: [409],
      examples: { 'dead-letter': { answer: { id: DELIVERY, state: 'discarded' } } },
    },
  },
  {
    Delivery: object({
      id: ref('Id'),
      tenant: varies(text),
      'server?': text,
      'subscriptionId?': ref('Id'),
      'transactionHash?': about('Of a mirrored receipt.', text),
      state: oneOf(DELIVERY_STATES),
      channel: oneOf(['webhook', 'email', 'mirror']),
      to: about('The url, or the address of the recipient.', text),
      since: time,
      nextAttemptAt: about('When the next attempt is due. null if none is planned.', orNull(time)),
      waitsFor: about(
        'The delivery before it of the same subscription and channel, which has to be over first.',
        orNull(ref('Id')),
      ),
      attempts: list(object({ at: time, result: text, detail: varies(text) })),
      message: ref('Message'),
    }),
    Message: {
      description: 'What is sent. It never changes.',
      oneOf: [
        object({ channel: { const: 'webhook' }, url: text, body: text }),
        object({ channel: { const: 'mirror' }, url: text, body: text, 'tenant?': text }),
        object({
          channel: { const: 'email' },
          to: text,
          subject: text,
          state: oneOf(['firing', 'resolved', 'noData']),
          headline: about('What happened, with the names of the rule and the server.', text),
          reason: about('The sentence of explain.', text),
          body: text,
          'series?': about('The windows that were compared.', list(ref('MailSeries'))),
          facts: list(list(text, { minItems: 2, maxItems: 2 })),
          'muteUrl?': about('Mutes the subscription, without a login.', varies(text)),
          'first?': about('The first mail of the same thread, if this one is not the first.', ref('Id')),
        }),
      ],
    },
    MailSeries: object({
      metric: text,
      values: about('Oldest first. Each stands for one value of the window, or for several.', list(number)),
      size: about('Number of values in the window.', count),
      thresholds: list(number),
      clears: list(number),
      percent: flag,
    }),
  },
);
