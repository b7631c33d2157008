import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { EndOfDeadLetter } from '../../delivery/endpoint/dead-letters.js';

/** Metrics of deliveries. */
export interface DeliveryMetrics {
  /** Records the result of an attempt to deliver. */
  attempt(channel: string, result: string): void;
  /** Records the deletion of a dead letter, for its age or as the oldest above the limit of its subscription. */
  deadLetterEnded(why: EndOfDeadLetter): void;
}

/** Creates the metrics of deliveries. */
export function deliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
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
  return {
    attempt: (channel, result) => attempts.inc({ channel, result }),
    deadLetterEnded: (why) => ended.inc({ why }),
  };
}
