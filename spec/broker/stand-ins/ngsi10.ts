import { array, object, string } from 'yup';
import { bodyOf, fitting, hasForbiddenCharacters, newOrionId } from './checks.js';
import { type BrokerStandIn, type Dialect, type Content, type Reply, standIn } from './stand-in.js';

const address = string()
  .required()
  .test((value) => /^https?:/.test(value) && URL.canParse(value));

const names = array(string().required()).min(1).required();

/** Hours, minutes and seconds suffice here. */
const duration = string()
  .matches(/^PT(\d+H)?(\d+M)?(\d+S)?$/)
  .required();

const subscribing = object({
  entities: array(
    object({
      type: string().required(),
      isPattern: string().oneOf(['false']).required(),
      id: string().required(),
    })
      .noUnknown()
      .required(),
  )
    .length(1)
    .required(),
  attributes: names,
  reference: address,
  duration,
  notifyConditions: array(
    object({ type: string().oneOf(['ONCHANGE']).required(), condValues: names })
      .noUnknown()
      .required(),
  )
    .length(1)
    .required(),
}).noUnknown();

const updating = object({ subscriptionId: string().required(), duration }).noUnknown();

const ending = object({ subscriptionId: string().required() }).noUnknown();

const UNKNOWN = { code: '404', reasonPhrase: 'No context element found' };

/**
 * Orion before version 4.0 with its API v1 (NGSI-10, JSON), as its user manual documents it. `now` is its clock, ms since
 * the epoch.
 */
export function ngsi10StandIn(now: () => number = Date.now): Promise<BrokerStandIn> {
  const dialect: Dialect = {
    handle(request, { subscriptions: held }) {
      const given = bodyOf(request);
      if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
      if (request.headers.accept !== 'application/json') return orionError(406, 'Not Acceptable', 'accept');
      if ('fault' in given) return orionError(400, 'Bad Request', given.fault);
      if (hasForbiddenCharacters(given.json)) {
        return orionError(400, 'Bad Request', 'Illegal value for JSON field');
      }
      if (request.path === '/v1/subscribeContext') return subscribe(given.json, held, now());
      if (request.path === '/v1/updateContextSubscription') return update(given.json, held, now());
      if (request.path === '/v1/unsubscribeContext') return end(given.json, held);
      return orionError(400, 'Bad Request', 'service not found');
    },

    tenantOf: (headers) => String(headers['fiware-service'] ?? '').toLowerCase(),

    notification: ({ id, entityId, entityType }, measurements) => ({
      headers: {},
      body: {
        subscriptionId: id,
        originator: 'localhost',
        contextResponses: [
          {
            contextElement: {
              attributes: Object.entries(measurements).map(([name, value]) => ({
                name,
                type: 'string',
                value: String(value),
              })),
              type: entityType,
              isPattern: 'false',
              id: entityId,
            },
            statusCode: { code: '200', reasonPhrase: 'OK' },
          },
        ],
      },
    }),
  };
  return standIn(dialect, now);
}

function subscribe(json: unknown, held: Map<string, Content>, now: number): Reply {
  const fit = fitting(subscribing, json);
  if ('fault' in fit) return subscribeError({ code: '400', reasonPhrase: 'Bad Request', details: fit.fault });
  const { entities, attributes, reference, duration: lasting, notifyConditions } = fit.value;
  const id = newOrionId();
  held.set(id, {
    id,
    entityId: entities[0]!.id,
    entityType: entities[0]!.type,
    attributes,
    watched: notifyConditions[0]!.condValues,
    callback: reference,
    headers: {},
    description: '',
    expiresAt: now + millisecondsOf(lasting),
  });
  return ok({ subscribeResponse: { subscriptionId: id, duration: lasting } });
}

function update(json: unknown, held: Map<string, Content>, now: number): Reply {
  const fit = fitting(updating, json);
  if ('fault' in fit) return subscribeError({ code: '400', reasonPhrase: 'Bad Request', details: fit.fault });
  const found = held.get(fit.value.subscriptionId);
  if (found === undefined) return subscribeError(UNKNOWN);
  held.set(found.id, { ...found, expiresAt: now + millisecondsOf(fit.value.duration) });
  return ok({ subscribeResponse: { subscriptionId: found.id, duration: fit.value.duration } });
}

function end(json: unknown, held: Map<string, Content>): Reply {
  const fit = fitting(ending, json);
  if ('fault' in fit) return orionError(400, 'Bad Request', fit.fault);
  const known = held.delete(fit.value.subscriptionId);
  const statusCode = known ? { code: '200', reasonPhrase: 'OK' } : UNKNOWN;
  return ok({ subscriptionId: fit.value.subscriptionId, statusCode });
}

/** Orion answers with status 200 in any case. */
function ok(body: unknown): Reply {
  return { status: 200, body: JSON.stringify(body) };
}

function subscribeError(errorCode: unknown): Reply {
  return ok({ subscribeError: { errorCode, subscriptionId: '000000000000000000000000' } });
}

function orionError(code: number, reasonPhrase: string, details: string): Reply {
  return ok({ orionError: { code: String(code), reasonPhrase, details } });
}

function millisecondsOf(lasting: string): number {
  const [, h, m, s] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(lasting)!;
  return (Number(h ?? 0) * 3600 + Number(m ?? 0) * 60 + Number(s ?? 0)) * 1000;
}
