import type { ActorKind } from '../actors/kind.js';
import { deliveryKind } from '../delivery/delivery-kind.js';
import type { Dispatcher } from '../delivery/queue/dispatcher.js';
import { endpointKind } from '../delivery/endpoint/endpoint-kind.js';
import type { EndOfDeadLetter } from '../delivery/endpoint/dead-letters.js';
import { openSenders } from '../delivery/senders/open-senders.js';
import type { WebhookOptions } from '../delivery/senders/webhook.js';
import { subscriptionOwner } from '../policy/subscriptions/subscription-owner.js';
import type { Store } from '../store/port.js';
import type { SharedParts } from './shared-parts.js';

/** How long a delivered message stays visible, ms. */
const DELIVERED_KEPT_MS = 24 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates the kinds of actors that deliver messages. `smtpUrl` is the mail server. */
export function deliveryKinds(
  shared: SharedParts,
  parts: {
    readonly store: Store;
    readonly smtpUrl: string | undefined;
    readonly webhookSecrets: WebhookOptions['secrets'];
    readonly dispatcher: Dispatcher;
  },
): readonly ActorKind[] {
  const { config, metrics, now } = shared;
  const { store, smtpUrl, webhookSecrets, dispatcher } = parts;
  const senders = shared.closeOnStop(
    openSenders({
      targets: shared.targets,
      webhookSecrets,
      smtpUrl,
      mailFrom: config.mail.from,
      messageIdDomain: new URL(config.http.publicUrl ?? 'http://localhost').hostname,
      userAgent: `mirzam/${shared.version}`,
      now,
      onAttempt: (channel, result) => metrics.deliveries.attempt(channel, result),
    }),
  );
  const deadMs = config.delivery.deadLetterDays * DAY_MS;
  const times = { giveUpMs: config.delivery.giveUpS * 1000, keepMs: DELIVERED_KEPT_MS, deadMs };
  const onDeadLetterEnded = (why: EndOfDeadLetter): void => metrics.deliveries.deadLetterEnded(why);
  return [
    deliveryKind({ senders, settings: times, clock: shared, dispatcher, onDeadLetterEnded }),
    endpointKind({ store, owner: subscriptionOwner(now), deadMs, now, onDeadLetterEnded }),
  ];
}
