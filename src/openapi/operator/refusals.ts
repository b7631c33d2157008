import type { RefusalsView, RefusalView } from '../../operator/shapes.js';
import { type ApiPart, json } from '../operation.js';
import { EXAMPLE_TIME, NOTHING_MEASURED, SERVER, TENANT, TENANT_ID } from '../policy/examples.js';
import { about, count, list, ref, shape, text, time, varies } from '../schema.js';
import { limit, ofNamedTenant, operatorPart } from '../apis.js';

/** The measurements that were refused. */
export const refusals: ApiPart = operatorPart(
  'Operator: refused measurements',
  'Context brokers do not read answers. This list shows what was refused.',
  {
    'GET /operator/refusals': {
      id: 'listRefusals',
      summary: 'List the measurements that were refused',
      description:
        'The last 1,000 of the node that answers, newest first: each 4xx of operation 1 and of facts by entity, for unknown ' +
        'tenants too, and each 200 that refused some elements. Equal refusals within a minute are one entry.',
      parameters: [ofNamedTenant, limit],
      answer: json(shape<RefusalsView>({ refusals: list(ref('Refusal')) })),
      examples: {
        'nothing-measured': {
          parameters: { limit: 1 },
          answer: {
            refusals: [
              {
                at: EXAMPLE_TIME,
                tenant: TENANT_ID,
                path: `/v1.0/${TENANT}/servers/${SERVER}`,
                status: 400,
                message: NOTHING_MEASURED,
                times: 1,
              },
            ],
          },
        },
      },
    },
  },
  {
    Refusal: shape<RefusalView>({
      at: about('When the newest of them came.', time),
      tenant: about('The id of the tenant. For an unknown tenant, the text in the path.', varies(text)),
      path: about('Without the query, at most 600 characters.', text),
      status: about('200: some elements were taken.', { type: 'integer', minimum: 200, maximum: 499 }),
      message: about('The reason, at most 1,000 characters.', text),
      times: about('The number of equal ones.', count),
    }),
  },
);
