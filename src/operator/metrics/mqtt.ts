import type { Registry } from 'prom-client';
import { readOnScrape } from './read.js';

/** Adds the metric of messages of MQTT. `totals` returns their number by result. */
export function mqttMetrics(registry: Registry, totals: () => Readonly<Record<string, number>>): void {
  readOnScrape(registry).counter(
    'mirzam_mqtt_messages_total',
    'Messages of MQTT: committed (taken), left out for good (refused), or stored by the broker and without a time (retained)',
    () => Object.entries(totals()),
    'result',
  );
}
