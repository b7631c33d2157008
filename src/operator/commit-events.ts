import type { ActorFault, CommitChange } from '../actors/runtime.js';
import { type DeliveryContext, isOfSubscription, shownState } from '../delivery/delivery.js';
import type { EndpointContext } from '../delivery/endpoint/endpoint-machine.js';
import type { ReceiverContext } from '../delivery/receiver/receiver-machine.js';
import type { TransactionContext } from '../ledger/transaction/transaction-machine.js';
import type { ServerState } from '../policy/explain/shapes.js';
import type { AlertEffect, BegunAlert, ServerContext } from '../policy/server/server-context.js';
import type { Transition } from '../policy/state/subscription-state.js';
import { lastArrival, windowsByMetric } from '../policy/windows/window.js';
import { type Address, addressOf } from '../store/port.js';
import type { NodeEvent } from './event-ring.js';
import type { LiveEvents, ReceiverState } from './shapes.js';
import type { DispatchEffect } from '../policy/alerts/outgoing-messages.js';
import { isoOf } from '../system/iso.js';

/** An event with the members that its type has. */
type EventOf<T extends NodeEvent['type']> = NodeEvent & {
  readonly type: T;
  readonly data: () => LiveEvents[T];
};

/** The members of a webhook's body that its event has; `firedAt` is ISO 8601. */
type FiringBody = Pick<LiveEvents['firing'], 'ruleId' | 'subscriptionId' | 'factId'> & {
  readonly firedAt: string;
};

/** Characters of an event besides its texts, about. */
const FRAME = 300;

/** Returns the event of a change of a subscription's state. `serverState`: the state of its server after the commit. */
export function transitionEvent(
  { tenant, name: server }: Address,
  transition: Transition,
  serverState: ServerState,
): EventOf<'transition'> {
  const { ruleId, subscriptionId, from, to, at, sentence, factId } = transition;
  const where = { tenantId: tenant, serverId: server, ruleId, subscriptionId };
  const data = () => ({ ...where, from, to, at: isoOf(at), sentence, factId, serverState });
  return { type: 'transition', tenant, server, size: FRAME + sentence.length, data };
}

/** Returns the event of a firing. Its message has the ids of the rule and of the fact. */
export function firingEvent(
  { tenant, name: server }: Address,
  { id, message }: DispatchEffect,
): EventOf<'firing'> {
  const data = () => {
    const { ruleId, subscriptionId, factId, firedAt } = JSON.parse(message.body) as FiringBody;
    const where = { tenantId: tenant, serverId: server, ruleId, subscriptionId };
    return { ...where, factId, deliveryId: id, at: firedAt };
  };
  return { type: 'firing', tenant, server, size: FRAME + message.body.length, data };
}

/** Returns the event of the firing with which an alert at an Alertmanager begins. */
export function alertEvent(
  { tenant, name: server }: Address,
  { subscriptionId, at }: AlertEffect,
  firing: BegunAlert,
): EventOf<'firing'> {
  const data = () => ({ tenantId: tenant, serverId: server, subscriptionId, at: isoOf(at), ...firing });
  return { type: 'firing', tenant, server, size: FRAME, data };
}

/**
 * Returns the event of a delivery whose state for operators has changed, or that has failed once more. undefined for any
 * other commit. The deletion of a dead letter, or of a pending delivery, is the state `discarded`.
 */
export function deliveryEvent(
  { address, before, after }: CommitChange,
  now: number,
): EventOf<'delivery'> | undefined {
  const from = before && shownState(before.state);
  const to = shownState(after.state) ?? (from === 'dead' || from === 'pending' ? 'discarded' : undefined);
  const context = after.context as DeliveryContext;
  const tried = context.attempts !== ((before?.context as DeliveryContext | undefined)?.attempts ?? EMPTY);
  if (to === undefined || context.about === undefined || (to === from && !tried)) return undefined;
  const { about, tries: attempts, since } = context;
  const { server, subscriptionId } = isOfSubscription(about)
    ? about
    : { server: undefined, subscriptionId: undefined };
  const at = to === 'discarded' ? now : ((tried ? context.attempts.at(-1)?.at : undefined) ?? since);
  const { tenant, name: deliveryId } = address;
  const where = { tenantId: tenant, serverId: server, subscriptionId, deliveryId };
  const data = () => ({ ...where, state: to, attempts, at: isoOf(at) });
  return { type: 'delivery', tenant, server, size: FRAME, data };
}

const EMPTY: DeliveryContext['attempts'] = [];

/** Returns the event of a receiver that has begun or ceased to fail. undefined for any other commit. */
export function receiverEvent(
  { address, before, after }: CommitChange,
  now: number,
): EventOf<'receiver'> | undefined {
  const isFailing = after.state === 'failing';
  if (isFailing === (before?.state === 'failing')) return undefined;
  const { failing } = after.context as ReceiverContext;
  return healthEvent(address.tenant, address.name, isFailing ? 'failing' : 'ok', failing?.since ?? now);
}

/** Returns the event of a receiver whose subscription is suspended, or no longer. undefined for any other commit. */
export function suspensionEvent(
  { address, before, after }: CommitChange,
  now: number,
): EventOf<'receiver'> | undefined {
  const isSuspended = after.state === 'suspended';
  const { receiver } = after.context as EndpointContext;
  if (receiver === undefined || isSuspended === (before?.state === 'suspended')) return undefined;
  return healthEvent(address.tenant, receiver, isSuspended ? 'suspended' : 'ok', now);
}

function healthEvent(
  tenant: string,
  receiverId: string,
  state: ReceiverState,
  at: number,
): EventOf<'receiver'> {
  const data = () => ({ tenantId: tenant, receiverId, state, at: isoOf(at) });
  return { type: 'receiver', tenant, server: undefined, size: FRAME, data };
}

/** Returns the event of a transaction that has got its receipt, also again after a reorganisation. */
export function receiptEvent({ after }: CommitChange): EventOf<'receipt'> {
  const { signed, receipt, recordedAt } = after.context as TransactionContext;
  const { listed, tenant } = signed!.operation;
  const { transactionHash, blockNumber } = receipt!;
  const entityId = 'entityId' in listed ? listed.entityId : undefined;
  const at = isoOf(recordedAt);
  const data = () => ({ tenantId: tenant, transactionHash, entityId, blockNumber: Number(blockNumber), at });
  return { type: 'receipt', tenant, server: undefined, size: FRAME + (entityId?.length ?? 0), data };
}

/** Returns the event of a fault. Its error stays in the log: it may quote what is secret. */
export function faultEvent({ what, id, type }: ActorFault, now: number): EventOf<'fault'> {
  const kind = id === undefined ? undefined : addressOf(id).kind;
  const data = () => ({ what, kind, type, at: isoOf(now) });
  return { type: 'fault', tenant: undefined, server: undefined, size: FRAME, data };
}

/** Returns the facts of a server for those who follow it. `size` is the number of values in a full window. */
export function factsData(
  { tenant, name }: Address,
  { factId, windows }: ServerContext,
  size?: number,
): LiveEvents['facts'] {
  const entries = windowsByMetric(windows);
  const longest = Math.max(...entries.map(([, { values }]) => values.length));
  const shown = entries.map(([metric, { values }]) => [metric, { size: size ?? longest, values }] as const);
  const at = isoOf(lastArrival(windows));
  return { tenantId: tenant, serverId: name, factId, at, windows: Object.fromEntries(shown) };
}
