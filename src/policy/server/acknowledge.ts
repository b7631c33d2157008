import { Refusal } from '../../errors.js';
import { stepped } from '../state/state-machine.js';
import {
  ackOf,
  type Acknowledgement,
  stateFrom,
  type StateName,
  storedState,
} from '../state/subscription-state.js';
import type { Change, EventOf, ServerContext } from './server-context.js';
import { unknownSubscription } from './suppression.js';

const ACKNOWLEDGED: ReadonlySet<StateName> = new Set(['firing', 'pending', 'noData']);

/**
 * Sets or removes the acknowledgement of a subscription's state. Replies with it; undefined after a removal. It ends with the
 * period: see `StateEvent`. Throws `Refusal`: `not-found` for an unknown subscription, `conflict` for one in a state that
 * needs nobody.
 */
export function acknowledge(context: ServerContext, event: EventOf<'acknowledge'>): Change {
  const { subscriptionId, by, note, now } = event;
  const index = context.subscriptions.findIndex(({ id }) => id === subscriptionId);
  if (index === -1) throw unknownSubscription(subscriptionId);
  const current = stateFrom(context.states[index]);
  const isRemoval = by === undefined;
  if (isRemoval && (current === undefined || ackOf(current) === undefined)) return {};
  if (current === undefined || (!isRemoval && !ACKNOWLEDGED.has(current.state))) {
    throw new Refusal(
      'conflict',
      `the subscription is ${current?.state ?? 'filling'}; only one that is firing, pending or in noData can be acknowledged`,
    );
  }
  const ack: Acknowledgement | undefined = isRemoval ? undefined : { by, at: now, note };
  const { after } = stepped(current, { type: 'acknowledged', ack });
  return { states: context.states.with(index, storedState(after)), reply: ack };
}
