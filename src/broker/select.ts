import { ngsiLd } from './ngsi-ld.js';
import { ngsi10 } from './ngsi10.js';
import { ngsiv2 } from './ngsiv2.js';
import type { Broker } from './port.js';

/** Broker to use. */
export interface BrokerOptions {
  /** BROKER_URL. */
  readonly url: string;
  /** BROKER_API. */
  readonly api: keyof typeof ADAPTERS;
  /** BROKER_SERVICE_PATH. Default: `/`. */
  readonly servicePath?: string;
  /** BROKER_CONTEXT. */
  readonly context?: string | undefined;
  /** Time limit of one request, ms. Default: 5 s. */
  readonly timeoutMs?: number;
  /** Requested duration of a subscription unless renewed, s. Default: a day. */
  readonly durationS?: number;
  /** ms since the epoch. */
  readonly now?: () => number;
}

const ADAPTERS = { ngsi10, ngsiv2, 'ngsi-ld': ngsiLd } as const;

/** Opens the configured context broker. Sends no request yet. Throws an `Error` that names BROKER_URL for an unusable url. */
export function openBroker(options: BrokerOptions): Broker {
  const {
    url,
    api,
    servicePath = '/',
    context,
    timeoutMs = 5_000,
    durationS = 86_400,
    now = Date.now,
  } = options;
  return ADAPTERS[api]({ url, servicePath, context, timeoutMs, durationS, now });
}
