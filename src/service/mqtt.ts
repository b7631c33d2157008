import { hostname } from 'node:os';
import { failureOf } from '../http/failures/failure.js';
import { inTopicOrder } from '../mqtt/topic-queues.js';
import { mqttMetrics } from '../operator/metrics/mqtt.js';
import { openPolicyBodies } from '../policy/http/bodies.js';
import type { Policy } from '../policy/policy.js';
import { createMqttIntake, MQTT_RESULTS } from '../policy/sources/mqtt-intake.js';
import { MQTT_TOPICS, TOPIC_LIMIT } from '../policy/sources/mqtt-message.js';
import type { Config } from '../config/config.js';
import type { OpenedParts, Sources } from './context.js';

/** The measurements of an MQTT broker. */
export interface ConfiguredMqtt {
  /** Begins to take messages. */
  start(): void;
  /** Resolves if the broker sends messages. Throws with the reason if it does not. */
  check(): Promise<void>;
  /** Sets what is called when `check` may have another result. */
  onChange(listener: () => void): void;
  /** Waits for the messages that are being taken, for a limited time, and ends the connection. */
  close(): Promise<void>;
}

/** Bytes of a packet beside its payload, and room for a payload that is refused for its length. */
const BESIDE_PAYLOAD = 65_536;

/** Opens the configured MQTT broker. Its package is loaded only if there is one. */
export async function openConfiguredMqtt(
  parts: Pick<OpenedParts, 'config' | 'log' | 'store' | 'metrics' | 'refusals' | 'closeOnStop'>,
  policy: Policy,
  { intake }: Sources,
): Promise<ConfiguredMqtt | undefined> {
  const { config, log, store, metrics, refusals, closeOnStop } = parts;
  const { mqtt } = config;
  // Zeros without a broker: a metric that is absent cannot be told from one that is misspelt.
  const totals = Object.fromEntries(MQTT_RESULTS.map((result) => [result, 0]));
  metrics.add((registry) => mqttMetrics(registry, () => totals));
  if (mqtt === undefined) return undefined;
  const { createConsumer } = await import('../mqtt/consumer.js');
  const bodies = closeOnStop(
    openPolicyBodies({ hdd: config.facts.hddReading, metrics: config.metrics, windowMax: config.window.max }),
  );
  const { bodyLimit } = config.http;
  const takeAll = createMqttIntake({
    resolve: (idOrName) => policy.tenants.resolve(idOrName),
    intake,
    read: (payload, tenant) => bodies.read('mqtt', payload, tenant),
    limit: bodyLimit,
    onRefused({ error, topic, ...about }) {
      const { status, message, code } = failureOf(error, 'POST', '');
      if (code === 'internal') log.error({ err: error, topic }, 'a message of MQTT was not taken');
      refusals.add({ ...about, path: topic, status, message });
    },
    onResult(result, messages) {
      totals[result]! += messages;
    },
  });
  const shared = `$share/${mqtt.group}/${MQTT_TOPICS}`;
  const clientId = mqttClientId(config, mqtt.clientId);
  // Messages that the broker stores do not come in a shared subscription.
  const [filter, formerFilter] = store.shared ? [shared, MQTT_TOPICS] : [MQTT_TOPICS, shared];
  let changed = (): void => undefined;
  let isLogged = false;
  const consumer = createConsumer(
    {
      url: mqtt.url,
      clientId,
      filter,
      formerFilter,
      sessionS: mqtt.sessionS,
      largestPacket: 2 * bodyLimit + BESIDE_PAYLOAD,
      take: inTopicOrder(takeAll, TOPIC_LIMIT),
    },
    (fault) => {
      changed();
      if (fault !== undefined || isLogged) return;
      isLogged = true;
      log.info({ clientId, filter }, `MQTT: messages come from ${new URL(mqtt.url).host}`);
    },
  );
  return {
    start: () => consumer.start(),
    check: () => consumer.check(),
    close: () => consumer.close(),
    onChange(listener) {
      changed = listener;
    },
  };
}

/** Returns the name of this node at the broker: the configured one, or one that is the same after each restart. */
function mqttClientId({ http: { port } }: Config, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const host = hostname().replaceAll(/[^\w.-]/g, '_');
  return port === 0 ? `mirzam-${host}` : `mirzam-${host}-${port}`;
}
