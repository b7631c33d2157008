import type { EffectRun } from '../actors/kind.js';
import type { Actors } from '../actors/runtime.js';
import type { Address } from '../store/port.js';
import type { EndpointContext, EndpointEvent } from './endpoint/endpoint-machine.js';
import type { ReportEffect, TakenEffect } from './effects.js';
import { isOfSubscription } from './machine.js';
import type { About, AboutSubscription, DeliveryContext, DeliveryEvent } from './machine.js';

/** Kind of the actors that know the receiver of one subscription each. */
export const ENDPOINT = 'endpoint';

/** Why a dead letter was deleted: it was kept for long enough, or there were too many of its subscription. */
export type EndOfDeadLetter = 'age' | 'limit';

/** What reports are made with. */
export interface Reporting {
  /** ms since the epoch. */
  readonly now: () => number;
  readonly onDeadLetterEnded: (why: EndOfDeadLetter) => void;
}

/** The effects by which deliveries tell the endpoints of their subscriptions what became of them. */
export function reportEffects({ now, onDeadLetterEnded }: Reporting) {
  const tell = async (actors: Actors, { about }: DeliveryContext, event: EndpointEvent): Promise<void> => {
    if (isOfSubscription(about)) await actors.ask(endpointOf(about), event);
  };
  return {
    async report(
      { id, status }: ReportEffect,
      { about }: DeliveryContext,
      { address: { name }, actors }: EffectRun,
    ): Promise<DeliveryEvent> {
      if (isOfSubscription(about)) {
        const { server } = about;
        const event: EndpointEvent = { type: 'failed', now: now(), deliveryId: name, server, status };
        await actors.ask(endpointOf(about), event);
      }
      return { type: 'reported', now: now(), entryId: id };
    },
    async taken(
      { id }: TakenEffect,
      context: DeliveryContext,
      { actors }: EffectRun,
    ): Promise<DeliveryEvent> {
      await tell(actors, context, { type: 'taken', now: now() });
      return { type: 'reported', now: now(), entryId: id };
    },
    async expire(
      _entry: unknown,
      context: DeliveryContext,
      { address: { name }, actors }: EffectRun,
    ): Promise<DeliveryEvent> {
      await tell(actors, context, { type: 'forget', now: now(), deliveryId: name });
      onDeadLetterEnded('age');
      return { type: 'expired', now: now() };
    },
  };
}

/**
 * Whether the endpoint of a subscription counts refusals, which a message that is taken ends. Where the store cannot
 * tell it is assumed: to end a row of none does nothing.
 */
export async function countsRefusals(actors: Actors, about: About | undefined): Promise<boolean> {
  if (!isOfSubscription(about)) return false;
  try {
    const view = await actors.read<EndpointContext>(endpointOf(about));
    return view !== undefined && view.context.refusals > 0;
  } catch {
    return true;
  }
}

/** The endpoint of a subscription. */
export function endpointOf({ tenant, subscriptionId }: Omit<AboutSubscription, 'server'>): Address {
  return { kind: ENDPOINT, tenant, name: subscriptionId };
}
