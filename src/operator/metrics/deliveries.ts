import { Counter, Histogram, type Registry } from 'prom-client';
import type { CommitChange } from '../../actors/runtime.js';
import { DELIVERY, type DeliveryContext, type EndOfDeadLetter } from '../../delivery/delivery.js';
import { ENDPOINT } from '../../delivery/endpoint/endpoint-machine.js';
import type { Message } from '../../delivery/port.js';

const CHANNELS: readonly Message['channel'][] = ['webhook', 'email', 'mirror'];
const RESULTS = ['delivered', 'retry', 'refused'] as const;

/** Creates the metrics of deliveries. */
export function deliveryMetrics(registry: Registry) {
  const registers = [registry];
  const attempts = new Counter({
    name: 'mirzam_delivery_attempts_total',
    help: 'Attempts to deliver a webhook, an e-mail or a mirrored receipt',
    labelNames: ['channel', 'result'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'mirzam_delivery_seconds',
    help: 'Time from the firing or the receipt to its delivery; for a redelivered dead letter from its redelivery',
    labelNames: ['channel'] as const,
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600],
    registers,
  });
  const dead = new Counter({
    name: 'mirzam_dead_letters_total',
    help: 'Deliveries that became dead letters: refused, or without success for too long',
    labelNames: ['channel'] as const,
    registers,
  });
  const ended = new Counter({
    name: 'mirzam_dead_letters_ended_total',
    help: 'Dead letters that ended: kept for long enough (age), too many of one subscription (limit), redelivered or discarded',
    labelNames: ['why'] as const,
    registers,
  });
  const suspensions = new Counter({
    name: 'mirzam_suspensions_total',
    help: 'Suspensions of subscriptions whose receivers refused too much',
    registers,
  });
  for (const channel of CHANNELS) {
    dead.inc({ channel }, 0);
    seconds.zero({ channel });
    for (const result of RESULTS) attempts.inc({ channel, result }, 0);
  }
  for (const why of ['age', 'limit', 'redelivered', 'discarded'] as const) ended.inc({ why }, 0);
  // A label lookup costs more than the observation.
  const delivered = new Map(CHANNELS.map((channel) => [channel, seconds.labels({ channel })]));

  const delivery = ({ before, after }: CommitChange): void => {
    if (after.state === before?.state) return;
    const { message, attempts: tried, since } = after.context as DeliveryContext;
    if (after.state === 'dead') dead.inc({ channel: message!.channel });
    else if (after.state === 'delivered')
      delivered.get(message!.channel)!.observe(Math.max(0, tried.at(-1)!.at - since) / 1000);
    else if (before?.state === 'dead' && after.state === 'sending') ended.inc({ why: 'redelivered' });
  };

  return {
    /** Records the result of an attempt to deliver. */
    attempt: (channel: string, result: string): void => attempts.inc({ channel, result }),
    /** Records the deletion of a dead letter. */
    deadLetterEnded: (why: EndOfDeadLetter): void => ended.inc({ why }),
    /** Records what a commit of a delivery or an endpoint changes; ignores other actors. */
    committed(change: CommitChange): void {
      const { kind } = change.address;
      if (kind === DELIVERY) delivery(change);
      else if (
        kind === ENDPOINT &&
        change.after.state === 'suspended' &&
        change.before?.state !== 'suspended'
      )
        suspensions.inc();
    },
  };
}
