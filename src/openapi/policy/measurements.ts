import { type ApiPart, json, type Operation } from '../operation.js';
import { ref } from '../schema.js';
import { FULL_SERVER, notification, server, SERVER, tenant } from './examples.js';
import { policyPart } from '../apis.js';

const take: Omit<Operation, 'id' | 'examples'> = {
  summary: 'Take measurements of a server (operation 1)',
  description:
    'Each element that measures something is a fact. All are taken, in order, or none. With `FACTS_AUTH=token` a token of the tenant is needed, with `key` the key.',
  access: ['none', 'tenant', 'factsKey'],
  body: { content: json(ref('Measurements')) },
  answer: json(ref('FactsTaken')),
  errors: [404, 409],
};

/** Operation 1 of the policy API, under both of its paths. */
export const measurements: ApiPart = policyPart(
  'Measurements',
  'A context broker posts measurements. Each becomes a fact, which evaluates the rules of its server.',
  {
    'POST /v1.0/{tenantId}/servers/{serverId}': {
      ...take,
      id: 'takeMeasurements',
      examples: [
        {
          name: 'ngsi10',
          parameters: server,
          body: notification([91, 75], [93.5, 76], [95, 77]),
          answer: { id: 3, title: '3 facts taken, 1 firing' },
        },
        {
          name: 'ngsi-ld',
          parameters: { ...tenant, serverId: FULL_SERVER },
          body: {
            type: 'Notification',
            data: [9, 7.5, 4].map((value) => ({
              id: FULL_SERVER,
              type: 'host',
              freeSpacePct: { type: 'Property', value },
            })),
          },
          answer: { id: 3, title: '3 facts taken, 1 firing' },
        },
        {
          name: 'nothing-measured',
          parameters: server,
          body: { contextResponses: [{ contextElement: { id: SERVER, attributes: [] } }] },
          status: 400,
          answer: {
            error: {
              message:
                'body: no element measures anything: at least one attribute of cpuLoadPct, usedMemPct, netLoadPct, freeSpacePct is needed',
              code: 400,
              title: 'Bad Request',
            },
          },
        },
      ],
    },
    'POST /{tenantId}/servers/{serverId}': {
      ...take,
      id: 'takeMeasurementsUnversioned',
      summary: 'Take measurements of a server, at the path of the original',
      examples: [
        {
          name: 'ngsiv2',
          parameters: server,
          body: {
            subscriptionId: '57458eb60962ef754e7c0998',
            data: [{ id: SERVER, type: 'host', cpuLoadPct: { type: 'Number', value: 10, metadata: {} } }],
          },
          answer: { id: 4, title: '1 fact taken' },
        },
      ],
    },
  },
);
