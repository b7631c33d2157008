import { openBroker } from '../broker/select.js';
import type { BrokerUse } from '../policy/subscriptions/broker-use.js';
import type { SharedParts } from './shared-parts.js';

/** Opens the configured context broker. undefined if none is configured. */
export function brokerOf({ config, closeOnStop, publicUrl }: SharedParts): BrokerUse | undefined {
  if (config.broker === undefined) return undefined;
  const headers: Record<string, string> =
    config.facts.key === undefined ? {} : { 'X-Facts-Key': config.facts.key };
  return { port: closeOnStop(openBroker(config.broker)), publicUrl, headers, followed: new Set() };
}
