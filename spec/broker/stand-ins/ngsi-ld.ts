import { array, boolean, object, string } from 'yup';
import type { InferType } from 'yup';
import { bodyOf, fitting } from './checks.js';
import {
  type BrokerStandIn,
  type Dialect,
  type Content,
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
  sysAttrs: boolean().optional(),
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

const content = {
  type,
  entities: array(object({ id: uri, type: string().required() }).noUnknown().required())
    .length(1)
    .required(),
  watchedAttributes: names,
  notification,
  expiresAt,
};

const creating = object({ id: uri, ...content }).noUnknown();

const patching = object(content).noUnknown();

/** Formats a time, ms since the epoch, as Scorpio does. */
function isoMicros(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/**
 * An NGSI-LD broker: subscriptions as ETSI GS CIM 009 documents them, notifications as Scorpio sends them. `now` is its
 * clock, ms since the epoch.
 */
export function ngsiLdStandIn(now: () => number = Date.now): Promise<BrokerStandIn> {
  /** Attributes by tenant and entity. */
  const entities = new Map<string, object>();
  /** Time of the last update, ms since the epoch: no two updates have the same. */
  let tick = 0;
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

    tenantOf: (headers) => String(headers['ngsild-tenant'] ?? ''),

    // All attributes so far, whichever was updated, each with the time of its last update.
    notification: ({ id, entityId, entityType, tenant }, measurements) => {
      const key = `${tenant} ${entityId}`;
      const modifiedAt = isoMicros((tick = Math.max(tick + 1, now())));
      const updated = Object.entries(measurements).map(([name, value]) => [
        name,
        { type: 'Property', value, createdAt: modifiedAt, modifiedAt },
      ]);
      const attributes = { ...entities.get(key), ...(Object.fromEntries(updated) as object) };
      entities.set(key, attributes);
      return {
        headers: {
          link: `<${CORE_CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"`,
        },
        body: {
          id: `notification:${id.slice(-24)}:${tick}`,
          type: 'Notification',
          subscriptionId: id,
          notifiedAt: modifiedAt,
          data: [{ id: entityId, type: entityType, createdAt: modifiedAt, modifiedAt, ...attributes }],
        },
      };
    },
  };
  return standIn(dialect, now);
}

function create(request: Received, held: Map<string, Content>, now: number): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return problem(400, 'InvalidRequest', given.fault);
  const fit = fitting(creating, given.json);
  if ('fault' in fit) return problem(400, 'BadRequestData', fit.fault);
  const { id } = fit.value;
  if (held.has(id)) return problem(409, 'AlreadyExists', `subscription exists: ${id}`);
  const wanted = contentOf(fit.value);
  if (wanted.expiresAt <= now) return problem(400, 'BadRequestData', 'expiresAt is in the past');
  held.set(id, { id, description: '', ...wanted });
  return { status: 201, headers: { location: `${PATH}/${id}` } };
}

function patch(request: Received, found: Content, held: Map<string, Content>, now: number): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return problem(400, 'InvalidRequest', given.fault);
  const fit = fitting(patching, given.json);
  if ('fault' in fit) return problem(400, 'BadRequestData', fit.fault);
  const wanted = contentOf(fit.value);
  if (wanted.expiresAt <= now) return problem(400, 'BadRequestData', 'expiresAt is in the past');
  held.set(found.id, { ...found, ...wanted });
  return { status: 204 };
}

function contentOf(given: InferType<typeof patching>) {
  const { entities, watchedAttributes, notification: wanted, expiresAt: end } = given;
  return {
    entityId: entities[0]!.id,
    entityType: entities[0]!.type,
    watched: watchedAttributes,
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
