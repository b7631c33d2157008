import { isDeepStrictEqual } from 'node:util';
import { mixed, object, string } from 'yup';
import { bodyOf, fitting, hasForbiddenCharacters, orionError } from './checks.js';
import type {
  Caused,
  Content,
  HeldEntity,
  Notification,
  Received,
  Reply,
  TenantContent,
} from './stand-in.js';

const PATH = '/v2/entities';

const entity = object({ id: string().max(256).required(), type: string().max(256).required() });
const attribute = object({
  type: string(),
  value: mixed()
    .nullable()
    .test((value) => value !== undefined),
  metadata: object(),
}).noUnknown();

/** What happens to an entity. */
interface Alteration {
  readonly before: HeldEntity | undefined;
  readonly after: HeldEntity;
  /** Attributes that the request names. */
  readonly named: readonly string[];
}

/** Answers a request for an entity, and returns the notifications that Orion 4.7 sends for it. `now`: ms since the epoch. */
export function entityReply(request: Received, content: TenantContent, now: number): Reply {
  const [path = '', query] = request.path.split('?');
  const place = String(request.headers['fiware-servicepath'] ?? '/');
  const caused = (alteration: Alteration) => causedBy(alteration, content.subscriptions.values(), now);
  if (request.method === 'POST' && path === PATH && query === 'options=upsert') {
    const given = bodyOf(request);
    if ('fault' in given) return orionError(400, 'ParseError', given.fault);
    if (hasForbiddenCharacters(given.json))
      return orionError(400, 'BadRequest', 'Invalid characters in attribute');
    const fit = fitting(entity, given.json);
    if ('fault' in fit) return orionError(400, 'BadRequest', fit.fault);
    const { id, type, ...attributes } = fit.value as { id: string; type: string } & Record<string, object>;
    for (const one of Object.values(attributes)) {
      const known = fitting(attribute, one);
      if ('fault' in known) return orionError(400, 'BadRequest', known.fault);
    }
    const key = [place, type, id].join(' ');
    const before = content.entities.get(key);
    const after = {
      id,
      type,
      path: place,
      attributes: { ...before?.attributes, ...withMetadata(attributes) },
    };
    content.entities.set(key, after);
    return { status: 204, causes: caused({ before, after, named: Object.keys(attributes) }) };
  }
  const [, id, name] = /^\/v2\/entities\/([^/]+)\/attrs\/([^/]+)$/.exec(path) ?? [];
  if (request.method !== 'DELETE' || name === undefined)
    return orionError(400, 'BadRequest', 'service not found');
  const found = [...content.entities].find(([, one]) => one.id === id && one.path === place);
  if (found === undefined || !Object.hasOwn(found[1].attributes, name)) {
    return orionError(404, 'NotFound', 'The entity does not have such an attribute');
  }
  const [key, before] = found;
  const { [name]: _deleted, ...attributes } = before.attributes;
  const after = { ...before, attributes };
  content.entities.set(key, after);
  return { status: 204, causes: caused({ before, after, named: [name] }) };
}

function withMetadata(attributes: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, one]) => [name, { metadata: {}, ...one }]),
  );
}

function causedBy(alteration: Alteration, subscriptions: Iterable<Content>, now: number): Caused[] {
  return [...subscriptions]
    .filter((subscription) => subscription.expiresAt > now && isAbout(subscription, alteration.after))
    .filter((subscription) => isTriggered(subscription, alteration))
    .map((subscription) => {
      const { after, named } = alteration;
      const sent = Object.entries(after.attributes).filter(
        ([name]) =>
          subscription.attributes.includes(name) &&
          (subscription.onlyChangedAttrs !== true || named.includes(name)),
      );
      const attributes = Object.fromEntries(sent);
      return { subscription, notification: notificationOf(subscription, { ...after, attributes }) };
    });
}

/** A subscription without a service path hears of every path. */
function isAbout({ entityId, isPattern, entityType, servicePath }: Content, { id, type, path }: HeldEntity) {
  const isId = isPattern === true ? new RegExp(entityId).test(id) : entityId === id;
  const isPath = servicePath === undefined || servicePath === path || servicePath === '/#';
  return isId && isPath && entityType === type;
}

/** By default an update that changes no value triggers nothing. */
function isTriggered({ watched, alterationTypes = [] }: Content, { before, after, named }: Alteration) {
  const about = named.filter((name) => watched.includes(name));
  if (about.length === 0) return false;
  if (before === undefined) return alterationTypes.includes('entityCreate');
  if (alterationTypes.includes('entityUpdate')) return true;
  const changes = (name: string) => !isDeepStrictEqual(before.attributes[name], after.attributes[name]);
  return alterationTypes.includes('entityChange') && about.some(changes);
}

/** Returns the notification of an entity with the attributes that are sent. */
export function notificationOf(subscription: Content, { id, type, attributes }: HeldEntity): Notification {
  const values: Record<string, string> = { id, type };
  for (const [name, one] of Object.entries(attributes)) {
    values[name] = JSON.stringify((one as { readonly value: unknown }).value);
  }
  return {
    headers: { 'ngsiv2-attrsformat': 'normalized', ...customHeaders(subscription.headers, values) },
    body: { subscriptionId: subscription.id, data: [{ id, type, ...attributes }] },
  };
}

/** Orion replaces `${name}` in a header's value, and decodes percent-encoding. */
function customHeaders(
  given: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const replaced = (text: string) =>
    text.replaceAll(/\$\{([^}]*)\}/g, (_whole, name: string) => values[name] ?? '');
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, decodeURIComponent(replaced(value))]),
  );
}
