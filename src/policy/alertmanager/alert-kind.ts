import { setTimeout as pause } from 'node:timers/promises';
import type { ActorKind, Actors, EffectRun } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import type { Deliveries } from '../../delivery/deliveries.js';
import { type AboutMessage, deliveryAddress, type DeliveryEvent } from '../../delivery/delivery.js';
import { type EndpointEvent, endpointOf } from '../../delivery/endpoint/endpoint-machine.js';
import type { WebhookMessage } from '../../delivery/port.js';
import type {
  AlertEffect as ServerAlertEffect,
  ServerContext,
  ServerEvent,
} from '../server/server-context.js';
import { serverAddress } from '../server/server-kind.js';
import type { TenantContext } from '../tenant/tenant-machine.js';
import { addressOfTenant } from '../tenant/tenants.js';
import {
  ALERT,
  alertAddress,
  type AlertContext,
  type AlertEvent,
  alertMachine,
  type DeliverEffect,
  type SentAlert,
  stateOf,
} from './alert-machine.js';
import { sightOf } from './sight.js';
import { isoOf } from '../../system/iso.js';

/** While an attempt is under way: the longest wait for it, and the pause between two requests, ms. */
const BUSY = { longestMs: 10_000, everyMs: 100 };

/** Makes the effect of a server that sends `changed` to the alert of a subscription. */
export function alertEffect(now: () => number) {
  return async (entry: ServerAlertEffect, _context: unknown, { address, actors }: EffectRun) => {
    const { subscriptionId, at } = entry;
    const event: AlertEvent = { type: 'changed', now: now(), server: address.name, at };
    await actors.ask(alertAddress(address.tenant, subscriptionId), event);
    return performed(entry, now()) satisfies ServerEvent;
  };
}

/** The kind of the alerts, each named by the id of its subscription. */
export function alertKind(options: {
  readonly deliveries: Pick<Deliveries, 'renew'>;
  /** Returns the address of the service for people. */
  readonly publicUrl: () => string;
  /** Time between two messages of an alert that fires, ms. */
  readonly resendMs: number;
  /** ms since the epoch. */
  readonly now: () => number;
}): ActorKind {
  const { deliveries, publicUrl, resendMs, now } = options;

  const messageOf = ({ target }: AlertContext, alerts: readonly SentAlert[]): WebhookMessage => ({
    channel: 'webhook',
    format: 'alertmanager',
    ...target!,
    body: JSON.stringify(alerts.map(posted)),
    resendMs,
  });

  return {
    name: ALERT,
    version: 1,
    machine: alertMachine(resendMs),
    stateOf,
    rarelyWritten: ['server', 'target'],
    evictAfter: ['firing', 'ended'],
    deletedState: 'gone',
    effects: {
      async look(_entry: unknown, known: AlertContext, { address, actors }: EffectRun): Promise<AlertEvent> {
        const { tenant: tenantId, name: subscriptionId } = address;
        const server = await actors.readCommitted<ServerContext>(serverAddress(tenantId, known.server!));
        const tenant = await actors.readCommitted<TenantContext>(addressOfTenant(tenantId));
        // After the deletion of the tenant nothing is sent, and the alert ends when its `endsAt` has passed.
        const sight =
          server === undefined || tenant === undefined || tenant.deletedAt !== undefined
            ? { firing: undefined, suppressed: true, isShared: false, annotations: undefined }
            : sightOf({ server, tenant, subscriptionId, known, now: now(), publicUrl: publicUrl() });
        return { type: 'seen', now: now(), sight };
      },

      async deliver(entry: DeliverEffect, context: AlertContext, { address, actors }: EffectRun) {
        const { tenant, name: subscriptionId } = address;
        const { server, delivery } = context;
        const about: AboutMessage = { tenant, server: server!, subscriptionId, factId: delivery!.factId };
        const message = messageOf(context, entry.alerts);
        const until = performance.now() + BUSY.longestMs;
        const send = async (): Promise<boolean> => {
          if (entry.replaces !== undefined && !(await isWithdrawn(actors, tenant, entry.replaces, now())))
            return false;
          const renewed = await deliveries.renew(delivery!.id, {
            type: 'renew',
            now: now(),
            message,
            about,
            urgent: entry.urgent,
          });
          if (renewed === 'dead') {
            const forget: EndpointEvent = { type: 'forget', now: now(), deliveryId: delivery!.id };
            await actors.ask(endpointOf(about), forget);
          }
          return renewed !== 'busy';
        };
        // Two requests at once could arrive in either order.
        while (!(await send())) {
          if (performance.now() > until) throw new Error('an attempt is under way; tried again');
          await pause(BUSY.everyMs, undefined, { ref: false });
        }
        return performed(entry, now());
      },
    },
  };
}

/** Discards a waiting message of the period before: it is out of date. Resolves with false during an attempt. */
async function isWithdrawn(actors: Actors, tenant: string, id: string, now: number): Promise<boolean> {
  const address = deliveryAddress(tenant, id);
  const view = await actors.read(address);
  if (view?.state === 'sending' || view?.state === 'dropped') return false;
  if (view?.state !== 'waiting') return true;
  const event: DeliveryEvent = { type: 'discard', now };
  await actors.ask(address, event);
  return true;
}

/** Returns an alert as the API of Alertmanager takes it. `endsAt` of one that fires is set at each attempt. */
function posted({ labels, annotations, generatorUrl, startsAt, endsAt }: SentAlert) {
  return {
    labels,
    annotations,
    startsAt: isoOf(startsAt),
    ...(endsAt === undefined ? {} : { endsAt: isoOf(endsAt) }),
    generatorURL: generatorUrl,
  };
}
