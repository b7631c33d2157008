import { ngsiLd } from './ngsi-ld.js';
import { ngsi10 } from './ngsi10.js';
import { ngsiv2 } from './ngsiv2.js';
import type { Broker } from './port.js';

/** Which broker to use. */
export interface BrokerOptions {
  /** BROKER_URL. */
  readonly url: string;
  /** BROKER_API. */
  readonly api: keyof typeof ADAPTERS;
  /** How long the broker may take for one request, ms; 5 s by default. */
  readonly timeoutMs?: number;
  /** How long a subscription shall last unless renewed, s; a day by default. */
  readonly durationS?: number;
  /** Ms since the epoch. */
  readonly now?: () => number;
}

const ADAPTERS = { ngsi10, ngsiv2, 'ngsi-ld': ngsiLd } as const;

/**
 * Opens the configured context broker. Nothing is asked of it yet. Throws an `Error` naming BROKER_URL for an unusable
 * url.
 */
export function openBroker(options: BrokerOptions): Broker {
  const { url, api, timeoutMs = 5_000, durationS = 86_400, now = Date.now } = options;
  return ADAPTERS[api]({ url, timeoutMs, durationS, now });
}
