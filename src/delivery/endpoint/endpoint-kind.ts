import type { ActorKind, Actors, EffectRun } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import { actorId, type Address, type Store } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import {
  type AboutSubscription,
  deliveryAddress,
  type DeliveryEvent,
  type EndOfDeadLetter,
  type RefusedDelivery,
} from '../delivery.js';
import {
  type EffectOf,
  ENDPOINT,
  type EndpointContext,
  type EndpointEvent,
  endpointMachine,
  stateOf,
} from './endpoint-machine.js';

/** Dead letters that are checked at the same time. */
const CHECK_PAGE = 50;
const LONGEST_CHECK_MS = 24 * 60 * 60 * 1000;

/** The part of the service that holds the subscriptions. */
export interface SubscriptionOwner {
  /**
   * Stops the messages of a subscription; `since` is in ms since the epoch. `refused`: the message that was refused last. The
   * same call again changes nothing.
   */
  suspend(
    actors: Actors,
    subscription: AboutSubscription,
    since: number,
    refused: RefusedDelivery,
  ): Promise<void>;
  /** False if the subscription has ended. */
  has(actors: Actors, subscription: AboutSubscription): Promise<boolean>;
}

/** The kind of the endpoints, each named by its subscription's id. */
export function endpointKind(options: {
  readonly store: Store;
  readonly owner: SubscriptionOwner;
  /** How long a dead letter is kept, ms. */
  readonly deadMs: number;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly onDeadLetterEnded: (why: EndOfDeadLetter) => void;
}): ActorKind {
  const { store, owner, deadMs, now, onDeadLetterEnded } = options;

  const subscriptionOf = ({ server }: EndpointContext, { tenant, name }: Address): AboutSubscription => ({
    tenant,
    server: server ?? '',
    subscriptionId: name,
  });

  const isDead = async (tenant: string, name: string): Promise<boolean> => {
    const stored = await store.load(actorId(deliveryAddress(tenant, name)));
    return stored?.state === 'dead';
  };

  return {
    name: ENDPOINT,
    version: 1,
    machine: endpointMachine(Math.min(LONGEST_CHECK_MS, deadMs)),
    stateOf,
    rarelyWritten: ['server', 'dead'],
    evictAfter: ['new'],
    deletedState: 'gone',
    effects: {
      async suspend(entry: EffectOf<'suspend'>, context: EndpointContext, { address, actors }: EffectRun) {
        await owner.suspend(actors, subscriptionOf(context, address), entry.since, entry.refused);
        return performed(entry, now());
      },
      async drop(entry: EffectOf<'drop'>, _context: unknown, { address, actors }: EffectRun) {
        const event: DeliveryEvent = { type: 'drop', now: now() };
        const delivery = deliveryAddress(address.tenant, entry.deliveryId);
        if ((await actors.ask<true | undefined>(delivery, event)) === true) onDeadLetterEnded('limit');
        return performed(entry, now());
      },
      async check(
        _entry: unknown,
        context: EndpointContext,
        { address, actors }: EffectRun,
      ): Promise<EndpointEvent> {
        const subscribed = await owner.has(actors, subscriptionOf(context, address));
        const dead = await mapInBatches(context.dead, CHECK_PAGE, (id) => isDead(address.tenant, id));
        const alive = context.dead.filter((_, i) => dead[i] !== true);
        return { type: 'checked', now: now(), subscribed, alive };
      },
    },
  };
}
