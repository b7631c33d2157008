import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { ActorFault, Actors } from '../actors/runtime.js';
import type { EndOfDeadLetter } from '../delivery/endpoint/dead-letters.js';

/** The service's own measurements, in Prometheus' terms. */
export interface Metrics {
  /** A request was answered after `seconds`. */
  request(method: string, status: number, seconds: number): void;
  /** Something went wrong that no caller sees. */
  fault(fault: ActorFault): void;
  /** An attempt to deliver had this result. */
  attempt(channel: string, result: string): void;
  /** A dead letter was deleted for its age, or as the oldest of too many of its subscription. */
  deadLetterEnded(why: EndOfDeadLetter): void;
  /** Shows what the runtime says of itself whenever somebody looks. */
  observe(actors: Actors): void;
  /** The text for a scrape, with its content type. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Makes the measurements, each service its own. */
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
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) });
  };
  // Looking a label up costs more than the observation: kept per pair, of which there are few.
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
