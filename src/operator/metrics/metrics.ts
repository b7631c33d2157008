import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Observe } from '../../http/request-log.js';
import { actorMetrics, type ActorMetrics } from './actors.js';
import { deliveryMetrics, type DeliveryMetrics } from './deliveries.js';
import { requestMetrics } from './requests.js';
import { ruleMetrics, type RuleMetrics } from './rules.js';

/** Metrics of the service for Prometheus. */
export interface Metrics {
  /** Records an answered request. */
  readonly request: Observe;
  readonly rules: RuleMetrics;
  readonly actors: ActorMetrics;
  readonly deliveries: DeliveryMetrics;
  /** Adds metrics that are read on each scrape. */
  readonly add: (metrics: (registry: Registry) => void) => void;
  /** Returns the text of a scrape with its content type. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Creates the metrics of one service, in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    request: requestMetrics(registry),
    rules: ruleMetrics(registry),
    actors: actorMetrics(registry),
    deliveries: deliveryMetrics(registry),
    add: (metrics) => metrics(registry),
    scrape: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
