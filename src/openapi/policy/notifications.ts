import { type ApiPart, json, type Operation } from '../operation.js';
import { ref } from '../schema.js';
import { notification, tenant } from './examples.js';
import { policyPart } from '../apis.js';

const take: Omit<Operation, 'id' | 'examples'> = {
  summary: 'Take measurements of several servers',
  description:
    'A notification as operation 1 takes it, of any number of servers: the `id` of each element names its server. An element that cannot be taken is left out and listed in `refused`; the others are taken. The elements of one server are taken together, in order, or none of them. If no element can be taken, the error names all of them. With `FACTS_AUTH=token` a token of the tenant is needed, with `key` the key.',
  access: ['none', 'tenant', 'factsKey'],
  body: { content: json(ref('Measurements')) },
  answer: json(ref('NotificationTaken')),
  errors: [404, 409],
};

/** Facts by entity, under both paths. */
export const notifications: ApiPart = policyPart(
  'Facts by entity',
  'One subscription at a context broker may send the measurements of all servers.',
  {
    'POST /v1.0/{tenantId}/notify': {
      ...take,
      id: 'takeNotification',
      examples: [
        {
          name: 'ngsi-ld',
          parameters: tenant,
          body: {
            type: 'Notification',
            data: [
              {
                id: 'urn:ngsi-ld:host:db-1',
                type: 'host',
                usedMemPct: { type: 'Property', value: 81 },
              },
              { id: 'urn:ngsi-ld:host:db-2', type: 'host', usedMemPct: { type: 'Property', value: 34 } },
            ],
          },
          answer: { facts: 2, firings: 0, servers: 2, title: '2 facts of 2 servers taken' },
        },
        {
          name: 'one-refused',
          parameters: tenant,
          body: {
            data: [
              { id: 'db-1:9100', type: 'host', usedMemPct: 81 },
              { id: '[2001:db8::7]:9100', type: 'host', usedMemPct: 34 },
            ],
          },
          answer: {
            facts: 1,
            firings: 0,
            servers: 1,
            title: '1 fact of 1 server taken; 1 element refused',
            refused: [
              {
                index: 1,
                id: '[2001:db8::7]:9100',
                message:
                  'data[1].id: must be the id of a server: [A-Za-z0-9_.:~-]{1,256}, neither . nor .., and without .json at its end, not "[2001:db8::7]:9100"',
              },
            ],
          },
        },
        {
          name: 'no-server',
          parameters: tenant,
          body: { data: [{ id: 'db 1', type: 'host', usedMemPct: 81 }] },
          status: 400,
          answer: {
            error: {
              message:
                'data[0].id: must be the id of a server: [A-Za-z0-9_.:~-]{1,256}, neither . nor .., and without .json at its end, not "db 1"',
              code: 400,
              title: 'Bad Request',
            },
          },
        },
      ],
    },
    'POST /{tenantId}/notify': {
      ...take,
      id: 'takeNotificationUnversioned',
      summary: 'Take measurements of several servers, at a path without the version',
      examples: [
        {
          name: 'ngsi10',
          parameters: tenant,
          body: notification([91, 75], [93.5, 76]),
          answer: { facts: 2, firings: 0, servers: 1, title: '2 facts of 1 server taken' },
        },
      ],
    },
  },
);
