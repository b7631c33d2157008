import type { ActorKind, Actors } from '../actors/kind.js';
import { startActors } from '../actors/runtime.js';
import { deliveryKind, type Senders } from '../delivery/delivery-kind.js';
import type { EndOfDeadLetter } from '../delivery/delivery.js';
import { endpointKind } from '../delivery/endpoint/endpoint-kind.js';
import { receiverKind } from '../delivery/receiver/receiver-kind.js';
import { openSenders } from '../delivery/senders/open-senders.js';
import type { WebhookOptions } from '../delivery/senders/webhook.js';
import { localTimeIn } from '../policy/alerts/local-times.js';
import { muteUrls } from '../policy/mute/mute-links.js';
import { planForgettingOfAll } from '../policy/deletion/plan-forgetting.js';
import { policyKinds } from '../policy/policy.js';
import { subscriptionOwner } from '../policy/subscriptions/subscription-owner.js';
import type { OpenedParts, ServiceContext } from './context.js';

/** Maximum number of messages in the outbox of a server: a webhook and a mail for each firing of one request. */
const SERVER_OUTBOX = 2_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Time for which a delivered message stays visible, ms. */
const DELIVERED_KEPT_MS = DAY_MS;

type KindParts = OpenedParts & Pick<ServiceContext, 'senders'>;

/** Returns the kinds of all actors. */
export function actorKinds(parts: KindParts): readonly ActorKind[] {
  const { config, now, publicUrl, store, broker, deliveries, muteLinks, plans, remains, ledger } = parts;
  const { auditLog } = parts;
  const settings = {
    gapMs: config.window.gapS * 1000,
    skewMs: config.facts.clockSkewS === 0 ? Infinity : config.facts.clockSkewS * 1000,
    forgetMs: config.serverForgetDays * DAY_MS,
    alertResendMs: config.delivery.alertResendS * 1000,
    trend: config.trend,
    mailIntervalMs: config.mail.intervalS * 1000,
    outboxLimit: SERVER_OUTBOX,
    localTime: config.mail.timeZone === undefined ? undefined : localTimeIn(config.mail.timeZone),
    publicUrl,
    muteUrl: muteUrls(publicUrl, muteLinks),
  };
  return auditLog.kindsWith([
    ...policyKinds({ store, deliveries, settings, broker, plans, remains, now }),
    ...deliveryKinds(parts),
    ...(ledger?.kinds ?? []),
  ]);
}

/** Has idle servers plan when they are forgotten. */
export function forgetIdleServers(parts: OpenedParts & Pick<ServiceContext, 'actors'>) {
  const { config, log, now, store, actors } = parts;
  const onError = (error: unknown): void =>
    log.warn({ err: error }, 'idle servers could not plan when they are forgotten; tried again in a minute');
  return planForgettingOfAll({ store, actors, forgetMs: config.serverForgetDays * DAY_MS, now, onError });
}

/** Opens the senders of the messages. */
export function sendersOf(parts: OpenedParts, webhookSecrets: WebhookOptions['secrets']): Senders {
  const { config, version, now, closeOnStop, inbox, targets, headerSeal: seal } = parts;
  return closeOnStop(
    openSenders({
      targets,
      webhookSecrets,
      seal,
      smtpUrl: config.mail.smtpUrl ?? inbox?.url,
      mailFrom: config.mail.from,
      messageIdDomain: new URL(config.http.publicUrl ?? 'http://localhost').hostname,
      userAgent: `mirzam/${version}`,
      now,
    }),
  );
}

function deliveryKinds(parts: KindParts): readonly ActorKind[] {
  const { config, now, store, senders, dispatcher, receiverWatch: receivers, metrics, tracing } = parts;
  const deadMs = config.delivery.deadLetterDays * DAY_MS;
  const settings = { giveUpMs: config.delivery.giveUpS * 1000, keepMs: DELIVERED_KEPT_MS, deadMs };
  const clock = { now, random: Math.random };
  const onAttempt = (channel: string, result: string): void => metrics.deliveries.attempt(channel, result);
  const onDeadLetterEnded = (why: EndOfDeadLetter): void => metrics.deliveries.deadLetterEnded(why);
  const owner = subscriptionOwner(now);
  return [
    deliveryKind({
      senders,
      settings,
      clock,
      dispatcher,
      onAttempt,
      onDeadLetterEnded,
      receivers,
      tracing,
    }),
    endpointKind({ store, owner, deadMs, now, onDeadLetterEnded }),
    receiverKind({ store, owner, keepMs: deadMs, now }),
  ];
}

/** Starts the actors of these kinds. Metrics, events and the log show what they do. */
export function openActors(parts: OpenedParts & Pick<ServiceContext, 'kinds'>): Actors {
  const { log, now, closeOnStop, store, kinds, metrics, activity, tracing } = parts;
  const actors = closeOnStop(
    startActors({
      store,
      kinds,
      now,
      tracing,
      onFault(fault) {
        metrics.actors.fault(fault);
        activity.onFault(fault);
        const { error, ...where } = fault;
        log.error({ ...where, err: error }, 'a fault that no caller sees');
      },
      onCommit(change) {
        activity.onCommit(change);
        metrics.deliveries.committed(change);
      },
      onStoreCall: metrics.actors.storeCall,
    }),
  );
  metrics.actors.observe(actors);
  activity.observe(actors);
  return actors;
}
