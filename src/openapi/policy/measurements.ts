import { type ApiPart, json, type Operation, refusal } from '../operation.js';
import { ref } from '../schema.js';
import { FULL_SERVER, NOTHING_MEASURED, notification, SERVER } from './examples.js';
import { policyPart, FACTS } from '../apis.js';

/** Returns what all operations that take measurements share. Their answer is the schema of this name. */
const taking = (
  summary: string,
  description: string,
  answer: string,
): Omit<Operation, 'id' | 'examples'> => ({
  summary,
  description: `${description} With \`FACTS_AUTH=token\` a token of the tenant is needed, with \`key\` the key.`,
  access: FACTS,
  body: { content: json(ref('Measurements')) },
  answer: json(ref(answer)),
  errors: [404, 409],
});
const takeMeasurements = taking(
  'Take measurements of a server (operation 1)',
  'Each element that measures something is a fact. All are taken, in order, or none.',
  'FactsTaken',
);
const takeNotification = taking(
  'Take measurements of several servers',
  'A notification as operation 1 takes it, of any number of servers: the `id` of each element names its server. An element that cannot be taken is left out and listed in `refused`; the others are taken. The elements of one server are taken together, in order, or none of them. If no element can be taken, the error names all of them.',
  'NotificationTaken',
);
const notAServer = (place: string, id: string): string =>
  `${place}.id: must be the id of a server: [A-Za-z0-9_.:~-]{1,256}, neither . nor .., and without .json at its end, not "${id}"`;

/** Operation 1 of the policy API, under both of its paths. */
export const measurements: ApiPart = policyPart(
  'Measurements',
  'A context broker posts measurements. Each becomes a fact, which evaluates the rules of its server.',
  {
    'POST /v1.0/{tenantId}/servers/{serverId}': {
      ...takeMeasurements,
      id: 'takeMeasurements',
      examples: {
        ngsi10: {
          body: notification([91, 75], [93.5, 76], [95, 77]),
          answer: { id: 3, title: '3 facts taken, 1 firing' },
        },
        'ngsi-ld': {
          parameters: { serverId: FULL_SERVER },
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
        'nothing-measured': {
          body: { contextResponses: [{ contextElement: { id: SERVER, attributes: [] } }] },
          ...refusal(400, NOTHING_MEASURED),
        },
      },
    },
    'POST /{tenantId}/servers/{serverId}': {
      ...takeMeasurements,
      id: 'takeMeasurementsUnversioned',
      summary: 'Take measurements of a server, at the path of the original',
      examples: {
        ngsiv2: {
          body: {
            subscriptionId: '57458eb60962ef754e7c0998',
            data: [{ id: SERVER, type: 'host', cpuLoadPct: { type: 'Number', value: 10, metadata: {} } }],
          },
          answer: { id: 4, title: '1 fact taken' },
        },
      },
    },
  },
);

/** Facts by entity, under both paths. */
export const notifications: ApiPart = policyPart(
  'Facts by entity',
  'One subscription at a context broker may send the measurements of all servers.',
  {
    'POST /v1.0/{tenantId}/notify': {
      ...takeNotification,
      id: 'takeNotification',
      examples: {
        'ngsi-ld': {
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
        'one-refused': {
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
                message: notAServer('data[1]', '[2001:db8::7]:9100'),
              },
            ],
          },
        },
        'no-server': {
          body: { data: [{ id: 'db 1', type: 'host', usedMemPct: 81 }] },
          ...refusal(400, notAServer('data[0]', 'db 1')),
        },
      },
    },
    'POST /{tenantId}/notify': {
      ...takeNotification,
      id: 'takeNotificationUnversioned',
      summary: 'Take measurements of several servers, at a path without the version',
      examples: {
        ngsi10: {
          body: notification([91, 75], [93.5, 76]),
          answer: { facts: 2, firings: 0, servers: 1, title: '2 facts of 1 server taken' },
        },
      },
    },
  },
);
