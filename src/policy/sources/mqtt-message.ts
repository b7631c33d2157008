import { Refusal } from '../../errors.js';
import { isObject } from '../../untrusted/json.js';
import { microsecondsOf } from '../facts/entity-attributes.js';

/** The topics of measurements. */
export const MQTT_TOPICS = 'mirzam/+/+';

/** Whose measurements a topic has, as it names them. */
export interface MqttAddress {
  readonly tenant: string;
  readonly server: string;
}

/** The measurements in a message: plain data, which a thread can send. */
export interface MqttMeasurements {
  /** When they were made, ms since the epoch; undefined if the message does not say so. */
  readonly at: number | undefined;
  /** By name. NaN for a member that is not a number. */
  readonly values: readonly (readonly [metric: string, value: number])[];
}

/** Maximum number of members of a message. */
const MEMBERS_LIMIT = 1_000;
/** A number from here on is a time in ms, a smaller one in seconds: the year 5138, and a day of the year 1973. */
const FROM_MS = 1e11;

/** Maximum number of UTF-16 code units of a topic. Names of a tenant and a server are shorter. */
export const TOPIC_LIMIT = 1_024;

/** Returns whose measurements a topic has. Throws `Refusal('bad-request')` for a topic without tenant and server, or a long one. */
export function mqttAddress(topic: string): MqttAddress {
  if (topic.length > TOPIC_LIMIT) {
    throw new Refusal(
      'bad-request',
      `topic: must have at most ${TOPIC_LIMIT} characters, not ${topic.length}`,
    );
  }
  const [root, tenant, server, ...rest] = topic.split('/');
  if (root === 'mirzam' && tenant && server && rest.length === 0) return { tenant, server };
  throw new Refusal('bad-request', 'topic: must be mirzam/{tenant}/{server}, and neither may be empty');
}

/** Reads the parsed payload of a message. Throws `Refusal('bad-request')` for what is not an object of measurements. */
export function mqttMeasurements(body: unknown): MqttMeasurements {
  if (!isObject(body)) {
    throw new Refusal(
      'bad-request',
      'payload: must be a JSON object of metrics and numbers, such as {"cpu": 42.5}',
    );
  }
  const { at, ...values } = body;
  const members = Object.entries(values);
  if (members.length > MEMBERS_LIMIT) {
    throw new Refusal(
      'bad-request',
      `payload: must have at most ${MEMBERS_LIMIT} members, not ${members.length}`,
    );
  }
  return {
    at: at === undefined || at === null ? undefined : timeIn(at),
    values: members.map(([metric, value]) => [metric, typeof value === 'number' ? value : Number.NaN]),
  };
}

function timeIn(at: unknown): number {
  if (typeof at === 'number') return Math.abs(at) < FROM_MS ? at * 1000 : at;
  const time = microsecondsOf(at);
  if (time !== undefined) return time / 1000;
  throw new Refusal(
    'bad-request',
    'payload: at must be a time like "2026-11-21T11:00:00Z", or seconds or milliseconds since 1970',
  );
}
