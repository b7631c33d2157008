import { SHOWN_STATES } from '../../delivery/delivery.js';
import { type ApiPart, json, type Operation, query, refusal } from '../operation.js';
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
import { shownFormMembers } from '../policy/forms.js';
import { limit, ofNamedTenant, operatorPart, receiverId } from '../apis.js';

const unknown = { parameters: { id: 'msg_0' }, ...refusal(404, 'id: no delivery "msg_0"') };

/** The operations on deliveries. `who` begins their ids, `prefix` their paths. */
export function deliveryOperations(prefix: string, who: '' | 'Own'): Readonly<Record<string, Operation>> {
  const path = `${prefix}/deliveries`;
  const listed = who === '' ? [ofNamedTenant] : [];
  const pending = json(object({ id: ref('Id'), state: { const: 'pending' } }));
  return {
    [`GET ${path}`]: {
      id: `list${who}Deliveries`,
      summary: 'List the deliveries',
      description:
        'The newest first. A page may be shorter than its limit, or empty, with `next` set: at most 5,000 deliveries are ' +
        'read for it.',
      parameters: [
        query('state', oneOf(SHOWN_STATES)),
        ...listed,
        query('server', text, 'The id of a server.'),
        query('subscription', text, 'The id of a subscription.'),
        query('receiver', receiverId.schema, 'The id of a receiver.'),
        query('answer', text, 'A part of the answer to the newest attempt, such as 503.'),
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
        ...(who === ''
          ? {
              'dead-letters': {
                parameters: { subscription: SUBSCRIPTION, state: 'dead' },
                answer: { deliveries: [refused(1)], next: null },
              },
            }
          : {}),
        newest: {
          parameters: { subscription: FULL_SUBSCRIPTION, limit: 1 },
          answer: { deliveries: [mailed], next: MAIL_DELIVERY },
        },
      },
    },
    [`POST ${path}${who === '' ? '/{tenant}' : ''}/{id}/redelivery`]: {
      id: `redeliver${who}`,
      summary: 'Send a dead letter again',
      answer: pending,
      errors: [404, 409],
      examples:
        who === ''
          ? {
              again: { answer: { id: DELIVERY, state: 'pending' } },
              unknown: { ...unknown, parameters: { ...unknown.parameters, tenant: 'nobody' } },
            }
          : { unknown },
    },
    [`GET ${path}/{id}`]: {
      id: `show${who}Delivery`,
      summary: 'Show a delivery with its message and the answer to each attempt',
      answer: json(ref('Delivery')),
      examples: who === '' ? { 'refused-twice': { answer: refused(2) } } : { unknown },
    },
    [`POST ${path}/redeliver`]: {
      id: `redeliverAll${who}`,
      summary: 'Send all dead letters of a subscription again',
      body: { content: json(object({ subscriptionId: ref('Id') })) },
      answer: json(object({ redelivered: count })),
      errors: [404],
      examples:
        who === ''
          ? { 'one-dead-letter': { body: { subscriptionId: SUBSCRIPTION }, answer: { redelivered: 1 } } }
          : { 'no-dead-letter': { body: { subscriptionId: FULL_SUBSCRIPTION }, answer: { redelivered: 0 } } },
    },
    [`POST ${path}/{id}/try`]: {
      id: `try${who}Delivery`,
      summary: 'Try a message that waits now',
      description: 'One that waits for an earlier message of its subscription, or is over, is 409.',
      answer: pending,
      errors: [404, 409],
      examples: { unknown },
    },
    [`POST ${path}/{id}/resend`]: {
      id: `resend${who}`,
      summary: 'Send any message again',
      description:
        'As it was, with the same `webhook-id`, outside the order of its subscription: its state may be old. A message that ' +
        'waits is tried now. One that waits for an earlier one is 409.',
      answer: pending,
      errors: [404, 409],
      examples: { unknown },
    },
    [`DELETE ${path}/{id}`]: {
      id: `discard${who}`,
      summary: 'Discard a message that is not delivered',
      description: 'Pending or dead. One that is sent at this moment is discarded with its next failure.',
      answer: json(object({ id: ref('Id'), state: { const: 'discarded' } })),
      errors: [404, 409],
      examples:
        who === '' ? { 'dead-letter': { answer: { id: DELIVERY, state: 'discarded' } } } : { unknown },
    },
  };
}

/** Deliveries and dead letters. */
export const deliveries: ApiPart = operatorPart(
  'Operator: deliveries',
  'A delivery brings one message to its receiver. Without success it becomes a dead letter.',
  deliveryOperations('/operator', ''),
  {
    Delivery: object({
      id: ref('Id'),
      tenant: varies(text),
      'server?': text,
      'subscriptionId?': ref('Id'),
      'transactionHash?': about('Of a mirrored receipt.', text),
      state: oneOf(SHOWN_STATES),
      channel: oneOf(['webhook', 'email', 'mirror']),
      to: about('The url, or the address of the recipient.', text),
      'receiverId?': about('The receiver of a webhook.', receiverId.schema),
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
      description:
        'What is sent. Of a webhook with a form, `body` is what the format `mirzam` would send, or the list of alerts.',
      oneOf: [
        object({ channel: { const: 'webhook' }, url: text, body: text, ...shownFormMembers }),
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
