import type { ActorKind, EffectRun } from '../../actors/kind.js';
import { actorId } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import type { Address, Store } from '../../store/port.js';
import { DELIVERY } from '../deliveries.js';
import { endpointMachine } from './endpoint-machine.js';
import type {
  CheckEffect,
  DropEffect,
  EndpointContext,
  EndpointEvent,
  SuspendEffect,
} from './endpoint-machine.js';
import type { AboutSubscription, DeliveryEvent } from '../machine.js';
import { ENDPOINT } from '../reporting.js';
import type { Reporting } from '../reporting.js';

/** How many dead letters are looked at together. */
const CHECK_PAGE = 50;
const LONGEST_CHECK_MS = 24 * 60 * 60 * 1000;

/** Who has the subscriptions whose receivers the endpoints are. */
export interface SubscriptionOwner {
  /** What fires from now on is not to be sent; `since` is in ms since the epoch. The same again changes nothing. */
  suspend(subscription: AboutSubscription, since: number): Promise<void>;
  /** False where the subscription has ended. */
  has(subscription: AboutSubscription): Promise<boolean>;
}

export interface EndpointOptions extends Reporting {
  readonly store: Store;
  readonly owner: SubscriptionOwner;
  /** How long a dead letter stays, ms. */
  readonly deadMs: number;
}

/** The kind of the endpoint actors, each named as its subscription. */
export function endpointKind({ now, onDeadLetterEnded, store, owner, deadMs }: EndpointOptions): ActorKind {
  const performed = (entryId: string): EndpointEvent => ({ type: 'performed', now: now(), entryId });
  const subscriptionOf = ({ server }: EndpointContext, { tenant, name }: Address): AboutSubscription => ({
    tenant,
    server: server ?? '',
    subscriptionId: name,
  });
  const isDead = async (tenant: string, name: string): Promise<boolean> => {
    const stored = await store.load(actorId({ kind: DELIVERY, tenant, name }));
    return stored?.state === 'dead';
  };

  return {
    name: ENDPOINT,
    version: 1,
    machine: endpointMachine({ checkMs: Math.min(LONGEST_CHECK_MS, deadMs) }),
    rarelyWritten: ['server', 'dead'],
    evictAfter: ['new'],
    deletedState: 'gone',
    effects: {
      async suspend({ id, since }: SuspendEffect, context: EndpointContext, { address }: EffectRun) {
        await owner.suspend(subscriptionOf(context, address), since);
        return performed(id);
      },
      async drop(
        { id, deliveryId }: DropEffect,
        _context: EndpointContext,
        { address: { tenant }, actors }: EffectRun,
      ) {
        const delivery = { kind: DELIVERY, tenant, name: deliveryId };
        const event: DeliveryEvent = { type: 'discard', now: now() };
        if ((await actors.ask<true | undefined>(delivery, event)) === true) onDeadLetterEnded('limit');
        return performed(id);
      },
      async check(
        _entry: CheckEffect,
        context: EndpointContext,
        { address }: EffectRun,
      ): Promise<EndpointEvent> {
        const subscribed = await owner.has(subscriptionOf(context, address));
        const dead = await mapInBatches(context.dead, CHECK_PAGE, (id) => isDead(address.tenant, id));
        const alive = context.dead.filter((_, i) => dead[i] !== true);
        return { type: 'checked', now: now(), subscribed, alive };
      },
    },
  };
}
