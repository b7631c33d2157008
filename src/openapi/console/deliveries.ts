import type { DeliveriesView, DeliveryRowView, DeliveryView, ReceiversView } from '../../console/shapes.js';
import { DELIVERY_STATES } from '../../operator/deliveries-view.js';
import { LIMIT, LIMIT_MAX } from '../../operator/query.js';
import type { ApiPart } from '../operation.js';
import { json, query } from '../operation.js';
import {
  about,
  anyObject,
  count,
  flag,
  integer,
  list,
  object,
  oneOf,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  time,
  varies,
} from '../schema.js';
import { consolePart } from './part.js';

const row: { readonly [K in keyof DeliveryRowView]-?: Schema } = {
  id: ref('Id'),
  tenant: varies(text),
  server: text,
  subscriptionId: ref('Id'),
  transactionHash: about('Of a mirrored receipt.', text),
  state: oneOf(DELIVERY_STATES),
  channel: oneOf(['webhook', 'email', 'mirror']),
  to: about('The url, or the address of the recipient.', text),
  title: about('The name of the rule, or the subject of the mail.', text),
  since: time,
  nextAttemptAt: orNull(time),
  attempts: list(object({ at: time, result: text, detail: text })),
};
const absent = ['server', 'subscriptionId', 'transactionHash'] as const;

const ofTenant = query('tenant', { type: 'string', pattern: '^[^/]*$' }, 'The id of a tenant.');

/** The console's views of deliveries and of their receivers. */
export const deliveryViews: ApiPart = consolePart(
  'Console: deliveries',
  'What the pages of deliveries show.',
  {
    'GET /console/api/deliveries': {
      id: 'viewDeliveries',
      summary: 'List deliveries without their messages, newest first',
      description: 'A page may be shorter than its limit, or empty, with `next` set.',
      parameters: [
        query('state', oneOf(DELIVERY_STATES)),
        ofTenant,
        query('server', text, 'The id of a server.'),
        query('subscription', text, 'The id of a subscription.'),
        query('before', ref('Id'), 'The `next` of the page before.'),
        query('limit', integer(1, LIMIT_MAX), `Default ${LIMIT}.`),
      ],
      answer: json(ref('DeliveriesView')),
    },
    'GET /console/api/deliveries/{id}': {
      id: 'viewDelivery',
      summary: 'Show a delivery with its message and the answer to each attempt',
      answer: json(ref('DeliveryView')),
      errors: [404],
    },
    'GET /console/api/receivers': {
      id: 'viewReceivers',
      summary: 'List subscriptions with dead letters or a suspension',
      description: 'At most 50, most dead letters first.',
      parameters: [ofTenant],
      answer: json(ref('ReceiversView')),
    },
  },
  {
    DeliveriesView: shape<DeliveriesView>({
      deliveries: list(ref('DeliveryRowView')),
      next: about('The `before` of the next page. null on the last one.', orNull(varies(text))),
    }),
    DeliveryRowView: shape<DeliveryRowView>(row, absent),
    DeliveryView: shape<DeliveryView>({ ...row, message: anyObject }, absent),
    ReceiversView: shape<ReceiversView>({
      receivers: list(
        shape<ReceiversView['receivers'][number]>({
          tenant: varies(text),
          server: orNull(text),
          subscriptionId: ref('Id'),
          url: orNull(text),
          dead: count,
          suspended: orNull(time),
        }),
      ),
      more: flag,
    }),
  },
);
