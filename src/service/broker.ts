import { openBroker } from '../broker/select.js';
import type { Config } from '../config/config.js';
import type { BrokerUse } from '../policy/subscriptions/broker-use.js';

/** Opens the context broker that the settings name; undefined where they name none. */
export function brokerOf({
  config,
  opened,
  publicUrl,
}: {
  readonly config: Config;
  readonly opened: <T extends { close(): Promise<unknown> }>(part: T) => T;
  readonly publicUrl: () => string;
}): BrokerUse | undefined {
  if (config.broker === undefined) return undefined;
  const headers: Record<string, string> =
    config.facts.key === undefined ? {} : { 'X-Facts-Key': config.facts.key };
  return { port: opened(openBroker(config.broker)), publicUrl, headers, followed: new Set() };
}
