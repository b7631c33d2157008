import { array, object, string } from 'yup';
import type { InferType } from 'yup';
import { bodyOf, fitting } from './checks.js';
import {
  type BrokerStandIn,
  type Dialect,
  type HeldSubscription,
  type Received,
  type Reply,
  standIn,
} from './stand-in.js';

const PATH = '/ngsi-ld/v1/subscriptions';

const CORE_CONTEXT = 'https://uri.etsi.org/ngsi-ld/v1/ngsi-ld-core-context.jsonld';

const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"]+$/;

const uri = string().matches(URI).required();

const names = array(string().required()).min(1).required();

const type = string().oneOf(['Subscription']).required();

const expiresAt = string()
  .matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/)
  .required();

const notification = object({
  attributes: names,
  format: string().oneOf(['normalized']).required(),
  endpoint: object({
    uri,
    accept: string().oneOf(['application/json']).required(),
    receiverInfo: array(
      object({ key: string().required(), value: string().required() }).noUnknown().required(),
    )
      .min(1)
      .optional(),
  })
    .noUnknown()
    .required(),
})
  .noUnknown()
  .required();

const creating = object({
  id: uri,
  type,
  entities: array(object({ id: uri, type: string().required() }).noUnknown().required())
    .length(1)
    .required(),
  watchedAttributes: names,
  notification,
  expiresAt,
}).noUnknown();

const patching = object({ type, notification, expiresAt }).noUnknown();

/** An NGSI-LD broker, as ETSI GS CIM 009 documents its subscriptions. `now` is its clock, ms since the epoch. */
export function ngsiLdStandIn(now: () => number = Date.now): Promise<BrokerStandIn> {
  const dialect: Dialect = {
    handle(request, held) {
      if (request.headers.accept !== 'application/json') return problem(406, 'InvalidRequest', 'Accept');
      if (request.path === PATH && request.method === 'POST') return create(request, held, now());
      const id = request.path.startsWith(`${PATH}/`) ? request.path.slice(PATH.length + 1) : '';
      // Not decoded: some brokers compare the raw path.
      if (!URI.test(id)) return problem(400, 'BadRequestData', `not a URI: ${id}`);
      const found = held.get(id);
      if (found === undefined) return problem(404, 'ResourceNotFound', `subscription not found: ${id}`);
      if (request.method === 'PATCH') return patch(request, found, held, now());
      if (request.method !== 'DELETE') return problem(405, 'InvalidRequest', 'method not allowed');
      held.delete(id);
      return { status: 204 };
    },

    notification: ({ id, entityId, entityType }, measurements) => ({
      headers: {
        link: `<${CORE_CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"`,
      },
      body: {
        id: `urn:ngsi-ld:Notification:${id.slice(-24)}:${now()}`,
        type: 'Notification',
        subscriptionId: id,
        notifiedAt: new Date(now()).toISOString(),
        data: [
          {
            id: entityId,
            type: entityType,
            ...Object.fromEntries(
              Object.entries(measurements).map(([name, value]) => [name, { type: 'Property', value }]),
            ),
          },
        ],
      },
    }),
  };
  return standIn(dialect, now);
}

function create(request: Received, held: Map<string, HeldSubscription>, now: number): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return problem(400, 'InvalidRequest', given.fault);
  const fit = fitting(creating, given.json);
  if ('fault' in fit) return problem(400, 'BadRequestData', fit.fault);
  const { id, entities, watchedAttributes } = fit.value;
  if (held.has(id)) return problem(409, 'AlreadyExists', `subscription exists: ${id}`);
  const wanted = notifying(fit.value);
  if (wanted.expiresAt <= now) return problem(400, 'BadRequestData', 'expiresAt is in the past');
  held.set(id, {
    id,
    entityId: entities[0]!.id,
    entityType: entities[0]!.type,
    watched: watchedAttributes,
    description: '',
    ...wanted,
  });
  return { status: 201, headers: { location: `${PATH}/${id}` } };
}

function patch(
  request: Received,
  found: HeldSubscription,
  held: Map<string, HeldSubscription>,
  now: number,
): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return problem(400, 'InvalidRequest', given.fault);
  const fit = fitting(patching, given.json);
  if ('fault' in fit) return problem(400, 'BadRequestData', fit.fault);
  const wanted = notifying(fit.value);
  if (wanted.expiresAt <= now) return problem(400, 'BadRequestData', 'expiresAt is in the past');
  held.set(found.id, { ...found, ...wanted });
  return { status: 204 };
}

function notifying({ notification: wanted, expiresAt: end }: InferType<typeof patching>) {
  return {
    attributes: wanted.attributes,
    callback: wanted.endpoint.uri,
    headers: Object.fromEntries((wanted.endpoint.receiverInfo ?? []).map(({ key, value }) => [key, value])),
    expiresAt: Date.parse(end),
  };
}

function problem(status: number, name: string, detail: string): Reply {
  return {
    status,
    body: JSON.stringify({ type: `https://uri.etsi.org/ngsi-ld/errors/${name}`, title: name, detail }),
  };
}
