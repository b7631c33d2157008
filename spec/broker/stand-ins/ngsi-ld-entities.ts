import { bodyOf, ldProblem } from './checks.js';
import { type Contexts, type Terms, termsAt } from './ld-terms.js';
import type {
  Caused,
  Content,
  HeldEntity,
  Notification,
  Received,
  Reply,
  TenantContent,
} from './stand-in.js';

const BASE = '/ngsi-ld/v1';

const CORE_CONTEXT = 'https://uri.etsi.org/ngsi-ld/v1/ngsi-ld-core-context.jsonld';

const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"]+$/;

/** Value of an attribute that an update deletes. */
const NULL = 'urn:ngsi-ld:null';

type Attributes = Readonly<Record<string, unknown>>;

interface Instance {
  readonly datasetId?: string;
  readonly createdAt?: string;
  readonly modifiedAt?: string;
}

/** What a request for entities needs. */
interface Circumstances {
  /** Names of the request. */
  readonly terms: Terms;
  readonly contexts: Contexts;
  /** ms since the epoch. */
  readonly now: number;
}

/** Answers a request for entities, and returns the notifications that Scorpio 5.0.2 sends for it. */
export function entityReply(request: Received, tenant: TenantContent, circumstances: Circumstances): Reply {
  const { method } = request;
  const { pathname, searchParams } = new URL(request.path, 'http://broker');
  if (method === 'POST' && pathname === `${BASE}/entityOperations/upsert`) {
    return upsert(request, tenant, circumstances, searchParams.get('options') === 'update');
  }
  const [, id = '', name] =
    /^\/ngsi-ld\/v1\/entities\/([^/]+)(?:\/attrs(?:\/([^/]+))?)?$/.exec(pathname) ?? [];
  if (id === '') return ldProblem(404, 'ResourceNotFound', 'no such path');
  if (!URI.test(id)) return ldProblem(400, 'BadRequestData', `not a URI: ${id}`);
  const found = tenant.entities.get(id);
  if (found === undefined) return ldProblem(404, 'ResourceNotFound', `entity not found: ${id}`);
  if (method === 'POST' && pathname.endsWith('/attrs')) {
    const given = bodyOf(request);
    if ('fault' in given) return ldProblem(400, 'InvalidRequest', given.fault);
    return put(found, given.json as Attributes, tenant, circumstances);
  }
  if (method !== 'DELETE') return ldProblem(405, 'InvalidRequest', 'method not allowed');
  if (name === undefined) {
    tenant.entities.delete(id);
    return { status: 204 };
  }
  if (searchParams.has('deleteAll')) return ldProblem(500, 'InternalError', 'deleteAll');
  return put(found, { [name]: NULL }, tenant, circumstances);
}

function upsert(
  request: Received,
  tenant: TenantContent,
  circumstances: Circumstances,
  update: boolean,
): Reply {
  const given = bodyOf(request);
  if ('fault' in given) return ldProblem(400, 'InvalidRequest', given.fault);
  const entities = given.json as readonly ({ id: string; type: string } & Attributes)[];
  const wrong = entities.find(({ id }) => !URI.test(id));
  if (wrong !== undefined) return ldProblem(400, 'BadRequestData', `id is not a URI: ${wrong.id}`);
  const causes = entities.flatMap(({ id, type, ...attributes }) => {
    const found = update ? tenant.entities.get(id) : undefined;
    const entity = { id, type: circumstances.terms.expanded(type), path: '', attributes: {} };
    return put(found ?? entity, attributes, tenant, circumstances).causes ?? [];
  });
  return { status: 204, causes };
}

/** Writes attributes of an entity. Every write notifies, also of the same value. */
function put(
  entity: HeldEntity,
  given: Attributes,
  { entities, subscriptions }: TenantContent,
  { terms, contexts, now }: Circumstances,
): Reply {
  const named = Object.entries(given).map(([name, one]) => [terms.expanded(name), terms.expandedValue(one)]);
  const updates = Object.fromEntries(named) as Attributes;
  const after = { ...entity, attributes: written(entity.attributes, updates, now) };
  entities.set(entity.id, after);
  const causes = [...subscriptions.values()].flatMap((subscription): Caused[] => {
    const { entityId, isPattern, entityType, watched, expiresAt, context } = subscription;
    const names = termsAt(context, contexts);
    const isAbout =
      (isPattern === true || entityId === after.id) && names.expanded(entityType) === after.type;
    const isWatched = watched.some((name) => Object.hasOwn(updates, names.expanded(name)));
    if (!isAbout || !isWatched || expiresAt <= now) return [];
    return [{ subscription, notification: notificationOf(subscription, after, { contexts, now }) }];
  });
  return { status: 204, causes };
}

/** Returns attributes with updates, each with the time of its last one. A null deletes. `now`: ms since the epoch. */
export function written(attributes: Attributes, updates: Attributes, now: number): Attributes {
  const after: Record<string, unknown> = { ...attributes };
  for (const [name, update] of Object.entries(updates)) {
    if (update === NULL) {
      delete after[name];
      continue;
    }
    const before = instancesOf(after[name]);
    const instances = new Map(before.map((one) => [one.datasetId, one]));
    for (const one of instancesOf(update)) {
      const { createdAt = isoMicros(now), modifiedAt = '' } = instances.get(one.datasetId) ?? {};
      // No two updates of an attribute have the same time.
      const at = isoMicros(Math.max(now, modifiedAt === '' ? 0 : Date.parse(modifiedAt) + 1));
      instances.set(one.datasetId, { ...one, createdAt, modifiedAt: at });
    }
    const all = [...instances.values()];
    after[name] = all.length === 1 ? all[0] : all;
  }
  return after;
}

/** Returns the notification of an entity: all attributes of the subscription, whichever was updated. */
export function notificationOf(
  { id, attributes: wanted, sysAttrs, context }: Content,
  entity: HeldEntity,
  { contexts, now }: Omit<Circumstances, 'terms'>,
): Notification {
  const terms = termsAt(context, contexts);
  const times = { createdAt: isoMicros(now), modifiedAt: isoMicros(now) };
  const sent = Object.entries(entity.attributes)
    .filter(([name]) => wanted.some((one) => terms.expanded(one) === terms.expanded(name)))
    .map(([name, one]) => [
      terms.compacted(name),
      terms.compactedValue(sysAttrs === true ? one : withoutTimes(one)),
    ]);
  return {
    headers: {
      link: `<${context ?? CORE_CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"`,
    },
    body: {
      id: `notification:${id.slice(-24)}:${now}`,
      type: 'Notification',
      subscriptionId: id,
      notifiedAt: isoMicros(now),
      data: [
        {
          id: entity.id,
          type: terms.compacted(entity.type),
          ...(sysAttrs === true && times),
          ...(Object.fromEntries(sent) as object),
        },
      ],
    },
  };
}

function withoutTimes(attribute: unknown): unknown {
  const all = instancesOf(attribute).map(({ createdAt: _created, modifiedAt: _modified, ...one }) => one);
  return all.length === 1 ? all[0] : all;
}

function instancesOf(attribute: unknown): readonly Instance[] {
  if (attribute === undefined) return [];
  return Array.isArray(attribute) ? (attribute as readonly Instance[]) : [attribute as Instance];
}

/** Formats a time, ms since the epoch, as Scorpio does. */
function isoMicros(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
