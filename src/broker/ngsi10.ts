import { fieldOf, jsonOf } from '../untrusted/json.js';
import { isoDuration, secondsOf } from './duration.js';
import { openExchange } from './exchange.js';
import type { BrokerAnswer, BrokerRequest } from './request.js';
import { explanationOf, malformed, refusal } from './failures.js';
import { fiwareHeaders } from './fiware-headers.js';
import { requireOrionCharacters } from './orion-characters.js';
import { type AdapterOptions, type Broker, BrokerRefused, BrokerUnavailable, type Granted } from './port.js';
import { isPublicId } from './subscription-id.js';

/** NGSI-10's codes for an unknown subscription: Orion's, and the specification's. */
const UNKNOWN = new Set([404, 470]);

/** Duration of a subscription before its first renewal, s. */
const FIRST_S = 120;

/**
 * Adapter of NGSI-10 as implemented by Orion's API v1. Answers have status 200 and an error code in the body. The API has
 * no headers for notifications, and cannot find a subscription whose creation was not answered or not recorded. A
 * subscription is therefore created for two minutes and renewed once recorded: an orphan ends by itself.
 */
export function ngsi10({ url, servicePath, timeoutMs, durationS, now }: AdapterOptions): Broker {
  const exchange = openExchange(url, timeoutMs);
  const firstS = Math.min(durationS, FIRST_S);

  const call = async (operation: string, body: unknown, tenant: string | undefined) => {
    const headers = fiwareHeaders(tenant, servicePath);
    const request: BrokerRequest = { method: 'POST', path: `/v1/${operation}`, headers, body };
    const answer = await exchange.send(request);
    return { request, answer, json: jsonOf(answer.text) };
  };

  const expiry = (asked: number, json: unknown, wantedS: number): number => {
    const granted = secondsOf(fieldOf(json, 'subscribeResponse', 'duration')) ?? wantedS;
    return asked + Math.min(granted, wantedS) * 1000;
  };

  const unsubscribe = async (id: string, tenant: string | undefined): Promise<void> => {
    const { request, answer, json } = await call('unsubscribeContext', { subscriptionId: id }, tenant);
    if (outcomeOf(answer, request, json) === 'done' && fieldOf(json, 'statusCode') === undefined) {
      throw malformed('no statusCode for an ended subscription');
    }
  };

  return {
    async subscribe(subscription) {
      requireOrionCharacters(subscription, false);
      const { entityId, entityType, attributes, tenant, callback } = subscription;
      const asked = now();
      const body = {
        entities: [{ type: entityType, isPattern: 'false', id: entityId }],
        attributes,
        reference: callback,
        duration: isoDuration(firstS),
        notifyConditions: [{ type: 'ONCHANGE', condValues: attributes }],
      };
      const { request, answer, json } = await call('subscribeContext', body, tenant);
      if (outcomeOf(answer, request, json) === 'unknown') throw refusedByCode(json);
      const id = fieldOf(json, 'subscribeResponse', 'subscriptionId');
      if (isPublicId(id)) return { id, expiresAt: expiry(asked, json, firstS) };
      // An unusable id could never be shown or ended later.
      if (typeof id === 'string' && id.length <= 256) await unsubscribe(id, tenant).catch(() => {});
      throw malformed('no usable id of the new subscription');
    },

    async renew(id, { tenant }): Promise<Granted | undefined> {
      const asked = now();
      const body = { subscriptionId: id, duration: isoDuration(durationS) };
      const { request, answer, json } = await call('updateContextSubscription', body, tenant);
      if (outcomeOf(answer, request, json) === 'unknown') return undefined;
      if (fieldOf(json, 'subscribeResponse', 'subscriptionId') !== id) {
        throw malformed('another subscription than the one to renew');
      }
      return { id, expiresAt: expiry(asked, json, durationS) };
    },

    retract: async () => [],

    unsubscribe,

    async close() {
      exchange.close();
    },
  };
}

/** Throws if the answer is an error, by its body or status. Returns `unknown` for an unknown subscription. */
function outcomeOf(answer: BrokerAnswer, request: BrokerRequest, json: unknown): 'done' | 'unknown' {
  const error = errorOf(json);
  const code = Number(fieldOf(error, 'code'));
  if (error === undefined || code === 200) {
    if (answer.status >= 400) throw refusal(answer, request);
    return 'done';
  }
  // The 404 of `orionError` concerns the path of the request.
  if (UNKNOWN.has(code) && fieldOf(json, 'orionError') === undefined) return 'unknown';
  if (code >= 400 && code < 500 && code !== 408 && code !== 429) throw refusedByCode(json);
  throw new BrokerUnavailable(`The context broker answered with the error ${codeAndExplanation(error)}`);
}

/** Returns the error in a body, at any of the places that NGSI-10 and Orion use. */
function errorOf(json: unknown): unknown {
  return (
    fieldOf(json, 'subscribeError', 'errorCode') ??
    fieldOf(json, 'orionError') ??
    fieldOf(json, 'errorCode') ??
    fieldOf(json, 'statusCode')
  );
}

function refusedByCode(json: unknown): BrokerRefused {
  return new BrokerRefused(`The context broker answered with the error ${codeAndExplanation(errorOf(json))}`);
}

function codeAndExplanation(error: unknown): string {
  return `${explanationOf(String(fieldOf(error, 'code')), [])}: ${explanationOf(error, [])}`;
}
