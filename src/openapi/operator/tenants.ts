import type { TenantDeletion, TenantLimits, TenantsView, TenantSummary } from '../../operator/shapes.js';
import { after, limit, next, operatorPart } from '../apis.js';
import { type ApiPart, json } from '../operation.js';
import { EXAMPLE_TIME, TENANT_ID } from '../policy/examples.js';
import { about, count, list, orNull, ref, shape, text, time, varies } from '../schema.js';

/** The tenants of the service. */
export const tenants: ApiPart = operatorPart(
  'Operator: tenants',
  'A tenant is known from its first request with a valid token on.',
  {
    'GET /operator/tenants': {
      id: 'listTenants',
      summary: 'List the tenants',
      description: 'Ordered by id.',
      parameters: [limit, after],
      answer: json(
        shape<TenantsView>({
          tenants: list(ref('TenantSummary')),
          limits: ref('TenantLimits'),
          next,
        }),
      ),
      examples: {
        demo: {
          answer: {
            tenants: [
              {
                id: TENANT_ID,
                names: ['demo'],
                servers: 12,
                subscriptions: 30,
                firing: 1,
                seenAt: EXAMPLE_TIME,
              },
            ],
            limits: { servers: null, subscriptions: null, requestsPerSecond: null },
            next: null,
          },
        },
      },
    },
    'DELETE /operator/tenants/{tenant}': {
      id: 'deleteTenant',
      summary: 'Delete a tenant with all its data',
      description:
        'Its rules, servers, subscriptions, quiet times and messages. Records of the ledger stay. The deletion goes on over restarts ' +
        'until nothing is left; the path is 404 then. Meanwhile a token of the tenant is answered 503. The next token afterwards ' +
        'makes the tenant known again.',
      status: 202,
      answer: json(shape<TenantDeletion>({ state: text })),
    },
  },
  {
    TenantLimits: shape<TenantLimits>({
      servers: about('`TENANT_SERVERS`; null: any number.', orNull(count)),
      subscriptions: about('`TENANT_SUBSCRIPTIONS`; null: any number.', orNull(count)),
      requestsPerSecond: about('`TENANT_RATE`, at each node; null: any number.', orNull(count)),
    }),
    TenantSummary: shape<TenantSummary>({
      id: varies(text),
      names: about('Those in its tokens, the first one seen first.', list(text)),
      servers: varies(count),
      subscriptions: varies(count),
      firing: about('Servers that are firing.', varies(count)),
      seenAt: about('When a token of it was seen last, within a minute.', orNull(time)),
      'state?': about('`deleting` while the tenant is being deleted.', text),
    }),
  },
);
