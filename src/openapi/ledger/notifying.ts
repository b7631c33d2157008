import { jsonOrLd, ledgerPart } from '../apis.js';
import type { ApiPart } from '../operation.js';
import { about, object, ref, type Schema, text, varies } from '../schema.js';
import { building } from './examples.js';
import { withWallet, tenant } from './parameters.js';

const operationId: Schema = varies({ type: 'string' });
const PENDING = object({ state: { const: 'pending' } });

/** Notifications of brokers, and the operations that they become. */
export const brokerRecordings: ApiPart = ledgerPart(
  'Ledger: record from a broker',
  'A subscription of an NGSI-LD broker records each change.',
  {
    'POST /ledger/notify': {
      id: 'recordNotification',
      summary: 'Record the entities of a notification',
      description:
        'One transaction records all of them. With the headers of a wallet the answer is the receipt. Without them the default ' +
        'account records the notification after the answer. The same notification is recorded once; `notifiedAt` does not count.',
      parameters: withWallet,
      body: { content: jsonOrLd(ref('Notification')) },
      answer: jsonOrLd(ref('Receipt')),
      others: {
        202: {
          description: 'The operation is stored, and is recorded later. `Location` has its path.',
          content: jsonOrLd(object({ operation: about('Its id.', operationId) })),
        },
      },
      errors: [404, 415, 502, 504],
      examples: {
        'one-building': {
          body: {
            id: 'urn:ngsi-ld:Notification:4711',
            type: 'Notification',
            subscriptionId: 'urn:ngsi-ld:Subscription:buildings',
            notifiedAt: '2026-11-21T10:00:00Z',
            data: [building],
          },
          status: 202,
          answer: { operation: 'f0'.repeat(32) },
        },
        'without-data': {
          body: { id: 'urn:ngsi-ld:Notification:1', subscriptionId: 'urn:ngsi-ld:Subscription:buildings' },
          status: 400,
          answer: {
            type: 'https://uri.etsi.org/ngsi-ld/errors/BadRequestData',
            title: 'Bad request data',
            status: 400,
            detail: 'data: must be a non-empty array of entities, as NGSI-LD brokers send them',
          },
        },
      },
    },
    'GET /ledger/operations/{operationId}': {
      id: 'getOperation',
      summary: 'Get the state of an accepted operation',
      description: 'An operation is known for IDEMPOTENCY_TTL_S after its end.',
      parameters: [tenant],
      answer: jsonOrLd({
        description: 'The receipt, or why there will be none.',
        oneOf: [ref('Receipt'), object({ state: { const: 'failed' }, detail: text })],
      }),
      others: { 202: { description: 'It is not recorded yet.', content: jsonOrLd(PENDING) } },
      examples: {
        unknown: {
          status: 404,
          answer: {
            type: 'https://uri.etsi.org/ngsi-ld/errors/ResourceNotFound',
            title: 'Resource not found',
            status: 404,
            detail:
              'there is no such operation, it is of another tenant, or it ended longer than IDEMPOTENCY_TTL_S ago',
          },
        },
      },
    },
  },
);
