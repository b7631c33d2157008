import { array, boolean, type InferType, mixed, object, string } from 'yup';
import { bodyOf, fitting, hasForbiddenCharacters, newOrionId, orionError } from './checks.js';
import { entityReply, notificationOf } from './ngsiv2-entities.js';
import {
  type BrokerStandIn,
  type Dialect,
  type Content,
  type Received,
  type Reply,
  standIn,
} from './stand-in.js';

const PATH = '/v2/subscriptions';

const NO_SERVICE = 'Service not found. Check your URL as probably it is wrong.';

const address = string()
  .required()
  .test((value) => /^https?:/.test(value) && URL.canParse(value));

const names = array(string().required()).min(1).required();

const expires = string().matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const headers = mixed<Record<string, string>>()
  .test((value) => value === undefined || Object.keys(value).length > 0)
  .required();

const notification = object({
  http: object({ url: address }).noUnknown().optional().default(undefined),
  httpCustom: object({ url: address, headers }).noUnknown().optional().default(undefined),
  attrs: names,
  onlyChangedAttrs: boolean().optional(),
  attrsFormat: string().oneOf(['normalized']),
})
  .noUnknown()
  .test(
    'one',
    'http or httpCustom',
    (value) => (value.http === undefined) !== (value.httpCustom === undefined),
  )
  .required();

const subject = object({
  entities: array(
    object({ id: string().max(256), idPattern: string(), type: string().max(256).required() })
      .noUnknown()
      .test('one', 'id or idPattern', ({ id, idPattern }) => (id === undefined) !== (idPattern === undefined))
      .required(),
  )
    .length(1)
    .required(),
  condition: object({
    attrs: names,
    alterationTypes: array(
      string().oneOf(['entityCreate', 'entityChange', 'entityUpdate', 'entityDelete']).required(),
    ).optional(),
  })
    .noUnknown()
    .required(),
})
  .noUnknown()
  .required();

const creating = object({
  description: string().max(1024),
  subject,
  notification,
  expires,
}).noUnknown();

const patching = object({ subject, notification, expires: expires.required() }).noUnknown();

/**
 * Orion with its API v2, as NGSIv2's specification documents it and as version 4.7 was seen to behave. `now` is its clock,
 * ms since the epoch.
 */
export function ngsiv2StandIn(now: () => number = Date.now): Promise<BrokerStandIn> {
  const dialect: Dialect = {
    handle(request, content) {
      if (request.headers.accept !== 'application/json') return orionError(406, 'NotAcceptable', 'accept');
      const { 'fiware-service': tenant = '', 'fiware-servicepath': place } = request.headers;
      if (!/^\w{0,50}$/.test(String(tenant)))
        return orionError(400, 'BadRequest', 'bad character in tenant name');
      if (place !== undefined && !/^\/(?:[\w/]*|[\w/]*#)$/.test(String(place))) {
        return orionError(400, 'BadRequest', 'a component of ServicePath contains an illegal character');
      }
      const [path = '', query = ''] = request.path.split('?');
      // NGSIv1 is gone since version 4.0.
      if (!path.startsWith('/v2/')) return orionError(400, 'BadRequest', NO_SERVICE);
      if (path.startsWith('/v2/entities')) return entityReply(request, content, now());
      const { subscriptions: held } = content;
      if (path === PATH && request.method === 'POST') return create(request, held);
      if (path === PATH && request.method === 'GET') return list(request, new URLSearchParams(query), held);
      const id = path.startsWith(`${PATH}/`) ? path.slice(PATH.length + 1) : '';
      if (!/^[0-9a-f]{24}$/.test(id)) return orionError(400, 'BadRequest', 'service not found');
      const found = held.get(id);
      if (found === undefined) {
        return orionError(404, 'NotFound', 'The requested subscription has not been found. Check id');
      }
      if (request.method === 'GET') return { status: 200, body: JSON.stringify(shown(found)) };
      if (request.method === 'PATCH') return patch(request, found, held);
      if (request.method !== 'DELETE') return orionError(405, 'MethodNotAllowed', 'method not allowed');
      if (request.headers['content-type'] !== undefined) return orionError(400, 'BadRequest', 'Content-Type');
      held.delete(id);
      return { status: 204 };
    },

    tenantOf: (headers) => String(headers['fiware-service'] ?? '').toLowerCase(),

    notification: (subscription, measurements) =>
      notificationOf(subscription, {
        id: subscription.entityId,
        type: subscription.entityType,
        path: '/',
        attributes: Object.fromEntries(
          Object.entries(measurements).map(([name, value]) => [
            name,
            { type: typeof value === 'number' ? 'Number' : 'Text', value, metadata: {} },
          ]),
        ),
      }),
  };
  return standIn(dialect, now);
}

function create(request: Received, held: Map<string, Content>): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return orionError(400, 'ParseError', given.fault);
  if (hasForbiddenCharacters(given.json)) return orionError(400, 'BadRequest', 'forbidden characters');
  const fit = fitting(creating, given.json);
  if ('fault' in fit) return orionError(400, 'BadRequest', fit.fault);
  const id = newOrionId();
  held.set(id, { id, description: fit.value.description ?? '', ...contentOf(request, fit.value) });
  return { status: 201, headers: { location: `${PATH}/${id}` } };
}

function patch(request: Received, found: Content, held: Map<string, Content>): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return orionError(400, 'ParseError', given.fault);
  if (hasForbiddenCharacters(given.json)) return orionError(400, 'BadRequest', 'forbidden characters');
  const fit = fitting(patching, given.json);
  if ('fault' in fit) return orionError(400, 'BadRequest', fit.fault);
  // A renewal sets the path, and takes no wildcard.
  if (request.headers['fiware-servicepath']?.includes('#'))
    return orionError(400, 'BadRequest', 'service path');
  held.set(found.id, { ...found, ...contentOf(request, fit.value) });
  return { status: 204 };
}

/** Orion lists in order of creation, at most 1,000 at once. */
function list(request: Received, query: URLSearchParams, held: Map<string, Content>): Reply {
  if (request.headers['content-type'] !== undefined) return orionError(400, 'BadRequest', 'Content-Type');
  const limit = Number(query.get('limit') ?? 20);
  const offset = Number(query.get('offset') ?? 0);
  if (!(limit >= 1 && limit <= 1000)) return orionError(400, 'BadRequest', 'Bad pagination limit');
  const count: Record<string, string> =
    query.get('options') === 'count' ? { 'fiware-total-count': String(held.size) } : {};
  const page = [...held.values()].slice(offset, offset + limit).map(shown);
  return { status: 200, headers: count, body: JSON.stringify(page) };
}

/** Returns a subscription as Orion shows it. */
function shown(one: Content): object {
  const { entityId, entityType, alterationTypes, expiresAt } = one;
  return {
    id: one.id,
    description: one.description,
    status: 'active',
    subject: {
      entities: [{ [one.isPattern === true ? 'idPattern' : 'id']: entityId, type: entityType }],
      condition: { attrs: one.watched, alterationTypes },
    },
    notification: { attrs: one.attributes, attrsFormat: 'normalized', http: { url: one.callback } },
    expires: expiresAt === Infinity ? undefined : new Date(expiresAt).toISOString(),
  };
}

function contentOf(request: Received, given: InferType<typeof creating>) {
  const { subject: about, notification: wanted, expires: end } = given;
  const { id, idPattern, type } = about.entities[0]!;
  return {
    entityId: id ?? idPattern!,
    isPattern: id === undefined,
    entityType: type,
    watched: about.condition.attrs,
    attributes: wanted.attrs,
    alterationTypes: about.condition.alterationTypes ?? ['entityCreate', 'entityChange'],
    onlyChangedAttrs: wanted.onlyChangedAttrs === true,
    servicePath: request.headers['fiware-servicepath'] as string | undefined,
    callback: (wanted.http ?? wanted.httpCustom)!.url,
    headers: wanted.httpCustom?.headers ?? {},
    expiresAt: end === undefined ? Infinity : Date.parse(end),
  };
}
