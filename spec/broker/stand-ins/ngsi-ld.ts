import { randomUUID } from 'node:crypto';
import { array, boolean, type InferType, object, string } from 'yup';
import { bodyOf, fitting, ldProblem } from './checks.js';
import { addressIn, type Contexts, termsOf } from './ld-terms.js';
import { entityReply, notificationOf, written } from './ngsi-ld-entities.js';
import {
  type BrokerStandIn,
  type Dialect,
  type Content,
  type HeldEntity,
  type Received,
  type Reply,
  standIn,
} from './stand-in.js';

const PATH = '/ngsi-ld/v1/subscriptions';

const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"]+$/;

const uri = string().matches(URI).required();

const names = array(string().required()).min(1).required();

const type = string().oneOf(['Subscription']).required();

const expiresAt = string().matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/);

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
  entities: array(object({ id: uri.optional(), type: string().required() }).noUnknown().required())
    .length(1)
    .required(),
  watchedAttributes: names,
  notification,
};

const creating = object({ id: uri.optional(), ...content, expiresAt }).noUnknown();

const patching = object({ ...content, expiresAt: expiresAt.required() }).noUnknown();

export interface NgsiLdOptions {
  /** Terms of JSON-LD contexts by their address: name → IRI. A context at another address has none. */
  readonly contexts?: Contexts;
  /** True if the first request for a tenant is answered with 500, as while Scorpio makes it. */
  readonly slowTenants?: boolean;
}

/**
 * An NGSI-LD broker: subscriptions as ETSI GS CIM 009 documents them, entities and notifications as Scorpio 5.0.2 was seen
 * to have them. `now` is its clock, ms since the epoch.
 */
export function ngsiLdStandIn(
  now: () => number = Date.now,
  { contexts = {}, slowTenants = false }: NgsiLdOptions = {},
): Promise<BrokerStandIn> {
  const made = new Set<string>();
  const dialect: Dialect = {
    oneByOne: true,

    handle(request, tenant) {
      if (request.headers.accept !== 'application/json') return ldProblem(406, 'InvalidRequest', 'Accept');
      const name = dialect.tenantOf(request.headers);
      if (slowTenants && name !== '' && !made.has(name)) {
        made.add(name);
        return ldProblem(500, 'InternalError', 'relation "entity" does not exist');
      }
      const terms = termsOf(request.headers.link, contexts);
      if (!request.path.startsWith(PATH))
        return entityReply(request, tenant, { terms, contexts, now: now() });
      const { subscriptions: held } = tenant;
      const [path = ''] = request.path.split('?');
      if (path === PATH && request.method === 'POST') return create(request, held, now());
      if (path === PATH && request.method === 'GET') return list(held);
      const id = path.startsWith(`${PATH}/`) ? path.slice(PATH.length + 1) : '';
      // Not decoded: some brokers compare the raw path.
      if (!URI.test(id)) return ldProblem(400, 'BadRequestData', `not a URI: ${id}`);
      const found = held.get(id);
      if (found === undefined) return ldProblem(404, 'ResourceNotFound', `subscription not found: ${id}`);
      if (request.method === 'GET') return { status: 200, body: JSON.stringify(shown(found)) };
      if (request.method === 'PATCH') return patch(request, found, held, now());
      if (request.method !== 'DELETE') return ldProblem(405, 'InvalidRequest', 'method not allowed');
      held.delete(id);
      return { status: 204 };
    },

    tenantOf: (headers) => String(headers['ngsild-tenant'] ?? ''),

    // All attributes so far, whichever was updated, each with the time of its last update.
    notification: (subscription, measurements) => {
      const { entityId: id, entityType: type, tenant } = subscription;
      const key = `${tenant} ${subscription.id}`;
      const updated = Object.entries(measurements).map(([name, value]) => [
        name,
        { type: 'Property', value },
      ]);
      const attributes = written(
        notified.get(key)?.attributes ?? {},
        Object.fromEntries(updated) as Record<string, object>,
        now(),
      );
      notified.set(key, { id, type, path: '', attributes });
      return notificationOf(subscription, notified.get(key)!, { contexts, now: now() });
    },
  };
  /** Attributes of the entities that specs send themselves. */
  const notified = new Map<string, HeldEntity>();
  return standIn(dialect, now);
}

function create(request: Received, held: Map<string, Content>, now: number): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return ldProblem(400, 'InvalidRequest', given.fault);
  const fit = fitting(creating, given.json);
  if ('fault' in fit) return ldProblem(400, 'BadRequestData', fit.fault);
  const { id = `urn:ngsi-ld:Subscription:${randomUUID()}` } = fit.value;
  if (held.has(id)) return ldProblem(409, 'AlreadyExists', `subscription exists: ${id}`);
  const wanted = contentOf(request, fit.value);
  if (wanted.expiresAt <= now) return ldProblem(400, 'BadRequestData', 'expiresAt is in the past');
  held.set(id, { id, description: '', ...wanted });
  return { status: 201, headers: { location: `${PATH}/${id}` } };
}

function patch(request: Received, found: Content, held: Map<string, Content>, now: number): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return ldProblem(400, 'InvalidRequest', given.fault);
  const fit = fitting(patching, given.json);
  if ('fault' in fit) return ldProblem(400, 'BadRequestData', fit.fault);
  const wanted = contentOf(request, fit.value);
  if (wanted.expiresAt <= now) return ldProblem(400, 'BadRequestData', 'expiresAt is in the past');
  held.set(found.id, { ...found, ...wanted });
  return { status: 204 };
}

function list(held: Map<string, Content>): Reply {
  return { status: 200, body: JSON.stringify([...held.values()].map(shown)) };
}

/** Returns a subscription as the broker shows it. */
function shown({
  id,
  entityId,
  isPattern,
  entityType,
  watched,
  attributes,
  callback,
  expiresAt: end,
}: Content): object {
  return {
    id,
    type: 'Subscription',
    entities: [{ ...(isPattern !== true && { id: entityId }), type: entityType }],
    watchedAttributes: watched,
    notification: { attributes, endpoint: { uri: callback, accept: 'application/json' } },
    expiresAt: end === Infinity ? undefined : new Date(end).toISOString(),
  };
}

function contentOf(request: Received, given: InferType<typeof creating>) {
  const { entities, watchedAttributes, notification: wanted, expiresAt: end } = given;
  return {
    entityId: entities[0]!.id ?? '.*',
    isPattern: entities[0]!.id === undefined,
    entityType: entities[0]!.type,
    watched: watchedAttributes,
    attributes: wanted.attributes,
    sysAttrs: wanted.sysAttrs === true,
    context: addressIn(request.headers.link),
    callback: wanted.endpoint.uri,
    headers: Object.fromEntries((wanted.endpoint.receiverInfo ?? []).map(({ key, value }) => [key, value])),
    expiresAt: end === undefined ? Infinity : Date.parse(end),
  };
}
