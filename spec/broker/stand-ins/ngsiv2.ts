import { array, boolean, mixed, object, string } from 'yup';
import type { InferType } from 'yup';
import { bodyOf, fitting, hasForbiddenCharacters, newOrionId } from './checks.js';
import {
  type BrokerStandIn,
  type Dialect,
  type Content,
  type Received,
  type Reply,
  standIn,
} from './stand-in.js';

const PATH = '/v2/subscriptions';

const address = string()
  .required()
  .test((value) => /^https?:/.test(value) && URL.canParse(value));

const names = array(string().required()).min(1).required();

const expires = string()
  .matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .required();

const headers = mixed<Record<string, string>>()
  .test((value) => value === undefined || Object.keys(value).length > 0)
  .required();

const notification = object({
  http: object({ url: address }).noUnknown().optional().default(undefined),
  httpCustom: object({ url: address, headers }).noUnknown().optional().default(undefined),
  attrs: names,
  onlyChangedAttrs: boolean().optional(),
  attrsFormat: string().oneOf(['normalized']).required(),
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
    object({ id: string().max(256).required(), type: string().max(256).required() })
      .noUnknown()
      .required(),
  )
    .length(1)
    .required(),
  condition: object({
    attrs: names,
    alterationTypes: array(
      string().oneOf(['entityCreate', 'entityUpdate', 'entityDelete']).required(),
    ).optional(),
  })
    .noUnknown()
    .required(),
})
  .noUnknown()
  .required();

const creating = object({
  description: string().max(1024).required(),
  subject,
  notification,
  expires,
}).noUnknown();

const patching = object({ subject, notification, expires }).noUnknown();

/** Orion with its API v2, as NGSIv2's specification documents it. `now` is its clock, ms since the epoch. */
export function ngsiv2StandIn(now: () => number = Date.now): Promise<BrokerStandIn> {
  const dialect: Dialect = {
    handle(request, held) {
      if (request.headers.accept !== 'application/json') return error(406, 'NotAcceptable', 'accept');
      const { 'fiware-service': tenant = '', 'fiware-servicepath': place } = request.headers;
      if (!/^\w{0,50}$/.test(String(tenant))) return error(400, 'BadRequest', 'bad character in tenant name');
      if (place !== undefined && !/^\/(?:[\w/]*|[\w/]*#)$/.test(String(place))) {
        return error(400, 'BadRequest', 'a component of ServicePath contains an illegal character');
      }
      const [path = '', query = ''] = request.path.split('?');
      if (path === PATH && request.method === 'POST') return create(request, held);
      if (path === PATH && request.method === 'GET') return list(request, new URLSearchParams(query), held);
      const id = path.startsWith(`${PATH}/`) ? path.slice(PATH.length + 1) : '';
      if (!/^[0-9a-f]{24}$/.test(id)) return error(400, 'BadRequest', 'service not found');
      const found = held.get(id);
      if (found === undefined) {
        return error(404, 'NotFound', 'The requested subscription has not been found. Check id');
      }
      if (request.method === 'PATCH') return patch(request, found, held);
      if (request.method !== 'DELETE') return error(405, 'MethodNotAllowed', 'method not allowed');
      if (request.headers['content-type'] !== undefined) return error(400, 'BadRequest', 'Content-Type');
      held.delete(id);
      return { status: 204 };
    },

    tenantOf: (headers) => String(headers['fiware-service'] ?? '').toLowerCase(),

    notification: ({ id, entityId, entityType }, measurements) => ({
      headers: { 'ngsiv2-attrsformat': 'normalized' },
      body: {
        subscriptionId: id,
        data: [
          {
            id: entityId,
            type: entityType,
            ...Object.fromEntries(
              Object.entries(measurements).map(([name, value]) => [
                name,
                { type: typeof value === 'number' ? 'Number' : 'Text', value, metadata: {} },
              ]),
            ),
          },
        ],
      },
    }),
  };
  return standIn(dialect, now);
}

function create(request: Received, held: Map<string, Content>): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return error(400, 'ParseError', given.fault);
  if (hasForbiddenCharacters(given.json)) return error(400, 'BadRequest', 'forbidden characters');
  const fit = fitting(creating, given.json);
  if ('fault' in fit) return error(400, 'BadRequest', fit.fault);
  const id = newOrionId();
  held.set(id, { id, description: fit.value.description, ...contentOf(fit.value) });
  return { status: 201, headers: { location: `${PATH}/${id}` } };
}

function patch(request: Received, found: Content, held: Map<string, Content>): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return error(400, 'ParseError', given.fault);
  if (hasForbiddenCharacters(given.json)) return error(400, 'BadRequest', 'forbidden characters');
  const fit = fitting(patching, given.json);
  if ('fault' in fit) return error(400, 'BadRequest', fit.fault);
  held.set(found.id, { ...found, ...contentOf(fit.value) });
  return { status: 204 };
}

/** Orion lists in order of creation, at most 1,000 at once. */
function list(request: Received, query: URLSearchParams, held: Map<string, Content>): Reply {
  if (request.headers['content-type'] !== undefined) return error(400, 'BadRequest', 'Content-Type');
  const limit = Number(query.get('limit') ?? 20);
  const offset = Number(query.get('offset') ?? 0);
  if (!(limit >= 1 && limit <= 1000)) return error(400, 'BadRequest', 'Bad pagination limit');
  const count: Record<string, string> =
    query.get('options') === 'count' ? { 'fiware-total-count': String(held.size) } : {};
  const page = [...held.values()].slice(offset, offset + limit).map((one) => ({
    id: one.id,
    description: one.description,
    status: 'active',
    subject: { entities: [{ id: one.entityId, type: one.entityType }], condition: { attrs: one.watched } },
    notification: { attrs: one.attributes, attrsFormat: 'normalized', http: { url: one.callback } },
    expires: new Date(one.expiresAt).toISOString(),
  }));
  return { status: 200, headers: count, body: JSON.stringify(page) };
}

function contentOf({ subject: about, notification: wanted, expires: end }: InferType<typeof patching>) {
  return {
    entityId: about.entities[0]!.id,
    entityType: about.entities[0]!.type,
    watched: about.condition.attrs,
    attributes: wanted.attrs,
    callback: (wanted.http ?? wanted.httpCustom)!.url,
    headers: decodedHeaders(wanted.httpCustom?.headers ?? {}),
    expiresAt: Date.parse(end),
  };
}

/** Orion decodes percent-encoding in the headers of notifications. */
function decodedHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, decodeURIComponent(value)]));
}

function error(status: number, name: string, description: string): Reply {
  return { status, body: JSON.stringify({ error: name, description }) };
}
