import type { DeliveriesView, DeliveryRowView, DeliveryView, ReceiversView } from '../../console/shapes.js';
import { type ApiPart, json } from '../operation.js';
import { about, count, flag, list, orNull, ref, shape, text, time, varies } from '../schema.js';
import { ABSENT, deliveryMembers, deliveryParameters } from '../operator/deliveries.js';
import { ofTenant } from '../operator/part.js';
import { DELIVERY, RECEIVER, SERVER, SUBSCRIPTION, TENANT_ID } from '../policy/examples.js';
import { refusedDelivery, refusedRow } from './examples.js';
import { consolePart } from './part.js';

const row = { ...deliveryMembers, title: about('The name of the rule, or the subject of the mail.', text) };

/** The console's views of deliveries and of their receivers. */
export const deliveryViews: ApiPart = consolePart(
  'Console: deliveries',
  'What the pages of deliveries show.',
  {
    'GET /console/api/deliveries': {
      id: 'viewDeliveries',
      summary: 'List deliveries without their messages, newest first',
      description: 'A page may be shorter than its limit, or empty, with `next` set.',
      parameters: deliveryParameters(ofTenant),
      answer: json(ref('DeliveriesView')),
      examples: [
        {
          name: 'of-a-subscription',
          parameters: { subscription: SUBSCRIPTION },
          answer: { deliveries: [refusedRow], next: null },
        },
      ],
    },
    'GET /console/api/deliveries/{id}': {
      id: 'viewDelivery',
      summary: 'Show a delivery with its message and the answer to each attempt',
      answer: json(ref('DeliveryView')),
      errors: [404],
      examples: [{ name: 'refused', parameters: { id: DELIVERY }, answer: refusedDelivery }],
    },
    'GET /console/api/receivers': {
      id: 'viewReceivers',
      summary: 'List subscriptions with dead letters or a suspension',
      description: 'At most 50, most dead letters first.',
      parameters: [ofTenant],
      answer: json(ref('ReceiversView')),
      examples: [
        {
          name: 'one-dead-letter',
          answer: {
            receivers: [
              {
                tenant: TENANT_ID,
                server: SERVER,
                subscriptionId: SUBSCRIPTION,
                url: RECEIVER,
                dead: 1,
                suspended: null,
              },
            ],
            more: false,
          },
        },
      ],
    },
  },
  {
    DeliveriesView: shape<DeliveriesView>({
      deliveries: list(ref('DeliveryRowView')),
      next: about('The `before` of the next page. null on the last one.', orNull(varies(text))),
    }),
    DeliveryRowView: shape<DeliveryRowView>(row, ABSENT),
    DeliveryView: shape<DeliveryView>({ ...row, message: ref('Message') }, ABSENT),
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
