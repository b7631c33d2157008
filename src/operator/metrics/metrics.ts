import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Actors } from '../../actors/runtime.js';
import type { Observe } from '../../http/request-log.js';
import { actorGauges, faultCounter } from './actors.js';
import type { FaultCounter } from './actors.js';
import { deliveryMetrics } from './deliveries.js';
import type { DeliveryMetrics } from './deliveries.js';
import { requestMetrics } from './requests.js';

/** Metrics of the service for Prometheus. */
export interface Metrics {
  /** Records an answered request. */
  readonly request: Observe;
  /** Records a fault that no caller sees. */
  readonly fault: FaultCounter;
  readonly deliveries: DeliveryMetrics;
  /** Adds gauges that read the runtime's statistics on each scrape. */
  observe(actors: Actors): void;
  /** Returns the text of a scrape with its content type. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Creates the metrics of one service, in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    request: requestMetrics(registry),
    fault: faultCounter(registry),
    deliveries: deliveryMetrics(registry),
    observe: (actors) => actorGauges(registry, actors),
    scrape: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
