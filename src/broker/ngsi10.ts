import { isoDuration, secondsOf } from './duration.js';
import { malformed, openExchange, refusal } from './exchange.js';
import type { BrokerAnswer, BrokerRequest } from './exchange.js';
import { fieldOf, jsonOf } from '../untrusted/json.js';
import type { AdapterOptions } from './options.js';
import { requireOrionCharacters } from './orion-characters.js';
import { BrokerRefused, BrokerUnavailable } from './port.js';
import type { Broker, Granted } from './port.js';
import { isPublicId } from './subscription-id.js';
import { wordsOf } from './words.js';

/** NGSI-10's codes for a subscription that there is not; Orion uses the first, the specification has the second. */
const UNKNOWN = new Set([404, 470]);

/** How long a subscription lasts unless it is renewed for the first time, s. */
const FIRST_S = 120;

/**
 * NGSI-10 as Orion's API v1 speaks it. Answers have status 200 whatever came of it, and an error code inside. The API
 * has no headers for notifications, and no way to find a subscription whose creation was not answered in time, or that
 * nobody has noted. So one is made for two minutes, and renewed as soon as it is noted: an orphan ends by itself.
 */
export function ngsi10({ url, timeoutMs, durationS, now }: AdapterOptions): Broker {
  const exchange = openExchange(url, timeoutMs);
  const firstS = Math.min(durationS, FIRST_S);

  const call = async (operation: string, body: unknown) => {
    const request: BrokerRequest = { method: 'POST', path: `/v1/${operation}`, body };
    const answer = await exchange.send(request);
    return { request, answer, json: jsonOf(answer.text) };
  };

  const expiry = (asked: number, json: unknown, wantedS: number): number => {
    const granted = secondsOf(fieldOf(json, 'subscribeResponse', 'duration')) ?? wantedS;
    return asked + Math.min(granted, wantedS) * 1000;
  };

  const unsubscribe = async (id: string): Promise<void> => {
    const { request, answer, json } = await call('unsubscribeContext', { subscriptionId: id });
    if (judge(answer, request, json) === 'done' && fieldOf(json, 'statusCode') === undefined) {
      throw malformed('no statusCode for an ended subscription');
    }
  };

  return {
    async subscribe(subscription) {
      requireOrionCharacters(subscription, false);
      const { entityId, entityType, attributes, callback } = subscription;
      const asked = now();
      const { request, answer, json } = await call('subscribeContext', {
        entities: [{ type: entityType, isPattern: 'false', id: entityId }],
        attributes,
        reference: callback,
        duration: isoDuration(firstS),
        notifyConditions: [{ type: 'ONCHANGE', condValues: attributes }],
      });
      if (judge(answer, request, json) === 'unknown') throw refusedWithin(json);
      const id = fieldOf(json, 'subscribeResponse', 'subscriptionId');
      if (isPublicId(id)) return { id, expiresAt: expiry(asked, json, firstS) };
      // Nobody could ask for it or end it later.
      if (typeof id === 'string' && id.length <= 256) await unsubscribe(id).catch(() => {});
      throw malformed('no usable id of the new subscription');
    },

    async renew(id): Promise<Granted | undefined> {
      const asked = now();
      const body = { subscriptionId: id, duration: isoDuration(durationS) };
      const { request, answer, json } = await call('updateContextSubscription', body);
      if (judge(answer, request, json) === 'unknown') return undefined;
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

/** Throws for an answer that is an error, inside or by its status; `unknown` where there is no such subscription. */
function judge(answer: BrokerAnswer, request: BrokerRequest, json: unknown): 'done' | 'unknown' {
  const error = errorOf(json);
  const code = Number(fieldOf(error, 'code'));
  if (error === undefined || code === 200) {
    if (answer.status >= 400) throw refusal(answer, request);
    return 'done';
  }
  // Orion's own 404 is about the path of the request.
  if (UNKNOWN.has(code) && fieldOf(json, 'orionError') === undefined) return 'unknown';
  if (code >= 400 && code < 500 && code !== 408 && code !== 429) throw refusedWithin(json);
  throw new BrokerUnavailable(`The context broker answered with the error ${saying(error)}`);
}

/** The error inside an answer, wherever the operations of NGSI-10 and Orion itself put it. */
function errorOf(json: unknown): unknown {
  return (
    fieldOf(json, 'subscribeError', 'errorCode') ??
    fieldOf(json, 'orionError') ??
    fieldOf(json, 'errorCode') ??
    fieldOf(json, 'statusCode')
  );
}

function refusedWithin(json: unknown): BrokerRefused {
  return new BrokerRefused(`The context broker answered with the error ${saying(errorOf(json))}`);
}

function saying(error: unknown): string {
  return `${wordsOf(String(fieldOf(error, 'code')), [])}: ${wordsOf(error, [])}`;
}
