import { ngsiLd } from './ngsi-ld.js';
import { ngsi10 } from './ngsi10.js';
import { ngsiv2 } from './ngsiv2.js';
import type { AdapterOptions, Broker } from './port.js';

const ADAPTERS = { ngsi10, ngsiv2, 'ngsi-ld': ngsiLd } as const;

/** Broker to use: BROKER_API, and the options of its adapter. */
export type BrokerOptions = Pick<AdapterOptions, 'url'> &
  Partial<AdapterOptions> & { readonly api: keyof typeof ADAPTERS };

const DEFAULTS = {
  servicePath: '/',
  context: undefined,
  timeoutMs: 5_000,
  durationS: 86_400,
  now: Date.now,
} as const;

/** Opens the configured context broker. Sends no request yet. */
export function openBroker({ api, ...options }: BrokerOptions): Broker {
  return ADAPTERS[api]({ ...DEFAULTS, ...options });
}
