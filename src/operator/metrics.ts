import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { ActorFault, Actors } from '../actors/runtime.js';
import type { EndOfDeadLetter } from '../delivery/endpoint/dead-letters.js';

/** Metrics of the service for Prometheus. */
export interface Metrics {
  /** Records an answered request. */
  request(method: string, status: number, seconds: number): void;
  /** Records a fault that no caller sees. */
  fault(fault: ActorFault): void;
  /** Records the result of an attempt to deliver. */
  attempt(channel: string, result: string): void;
  /** Records the deletion of a dead letter, for its age or as the oldest above the limit of its subscription. */
  deadLetterEnded(why: EndOfDeadLetter): void;
  /** Adds gauges that read the runtime's statistics on each scrape. */
  observe(actors: Actors): void;
  /** Returns the text of a scrape with its content type. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Creates the metrics of one service, in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Histogram({
    name: 'mirzam_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
    registers,
  });
  const faults = new Counter({
    name: 'mirzam_faults_total',
    help: 'Faults that no caller sees: machines that threw, effects and sweeps that failed',
    labelNames: ['what'] as const,
    registers,
  });
  const attempts = new Counter({
    name: 'mirzam_delivery_attempts_total',
    help: 'Attempts to deliver a webhook, an e-mail or a mirrored receipt',
    labelNames: ['channel', 'result'] as const,
    registers,
  });
  const ended = new Counter({
    name: 'mirzam_dead_letters_ended_total',
    help: 'Dead letters that were deleted: kept for long enough (age), or too many of one subscription (limit)',
    labelNames: ['why'] as const,
    registers,
  });
  for (const why of ['age', 'limit'] as const) ended.inc({ why }, 0);
  const gauge = (name: string, help: string, read: () => number): void => {
    const created: Gauge = new Gauge({ name, help, registers, collect: () => created.set(read()) });
  };
  // A label lookup costs more than the observation. There are few pairs of labels.
  const children = new Map<string, Histogram.Internal<'method' | 'status'>>();

  return {
    request(method, status, seconds) {
      const known = METHODS.has(method) ? method : 'other';
      const key = known + status;
      let child = children.get(key);
      if (child === undefined) {
        child = requests.labels({ method: known, status: String(status) });
        children.set(key, child);
      }
      child.observe(seconds);
    },
    fault: ({ what }) => faults.inc({ what }),
    attempt: (channel, result) => attempts.inc({ channel, result }),
    deadLetterEnded: (why) => ended.inc({ why }),
    observe(actors) {
      gauge('mirzam_actors_resident', 'Actors in memory', () => actors.stats().resident);
      gauge(
        'mirzam_commits_pending',
        'Commits on their way to the store',
        () => actors.stats().commitsPending,
      );
      gauge(
        'mirzam_effects_running',
        'Entries of outboxes being performed',
        () => actors.stats().effectsRunning,
      );
    },
    scrape: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
