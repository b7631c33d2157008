import type { Actors, OutboxEntry } from '../actors/kind.js';
import type { ActorFault, CommitChange } from '../actors/runtime.js';
import { DELIVERY } from '../delivery/delivery.js';
import { ENDPOINT } from '../delivery/endpoint/endpoint-machine.js';
import { RECEIVER } from '../delivery/receiver/receiver-machine.js';
import { TRANSACTION } from '../ledger/addresses.js';
import type { TransactionContext } from '../ledger/transaction/transaction-machine.js';
import type { AlertEffect, RecordEffect, ServerContext } from '../policy/server/server-context.js';
import { findRule } from '../policy/rules/rule.js';
import { SERVER } from '../policy/server/server-kind.js';
import type { TenantContext } from '../policy/tenant/tenant-machine.js';
import { addressOfTenant } from '../policy/tenant/tenants.js';
import { stateOf } from '../policy/server/server-machine.js';
import { transitionsOf } from '../policy/state/stored-transitions.js';
import {
  alertEvent,
  deliveryEvent,
  factsData,
  faultEvent,
  firingEvent,
  receiptEvent,
  receiverEvent,
  suspensionEvent,
  transitionEvent,
} from './commit-events.js';
import { createChanges } from './changes.js';
import type { NodeEvent } from './event-ring.js';
import type { EventStream } from './event-stream.js';
import { createLastEvaluations } from './last-evaluations.js';
import { createLastFaults } from './last-faults.js';
import type { ChangesView } from './shapes.js';
import type { DispatchEffect } from '../policy/alerts/outgoing-messages.js';

/** Totals of the commits of this node since its start. The numbers never fall. */
export interface Totals {
  /** Accepted measurements. */
  readonly facts: number;
  /** Firings with a message. */
  readonly firings: number;
  /** Transactions of the ledger that got their receipt. One whose block leaves the chain is not counted again. */
  readonly receipts: number;
  /** Changes of the state of subscriptions. */
  readonly transitions: number;
}

/** Observes the commits of this node: counts them, and publishes them as events. */
export type Activity = ReturnType<typeof createActivity>;

export interface ActivityOptions {
  readonly stream: Pick<EventStream, 'publish' | 'follows' | 'facts'>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** The state of a transaction with a receipt. */
const RECORDED = 'recorded';

/** Creates the observer of a node. */
export function createActivity({ stream, now }: ActivityOptions) {
  const totals = { facts: 0, firings: 0, receipts: 0, transitions: 0 };
  const changes = createChanges(now);
  const faults = createLastFaults(now);
  const startedAt = now();
  let peek: Actors['peek'] = () => undefined;

  const tenantOf = (id: string): TenantContext | undefined =>
    peek<TenantContext>(addressOfTenant(id))?.context;
  const evaluations = createLastEvaluations(tenantOf);

  const server = ({ address, before, after }: CommitChange): void => {
    const from = before?.context as ServerContext | undefined;
    const to = after.context as ServerContext;
    // A deleted server begins with 0 again.
    totals.facts += Math.max(0, to.factId - (from?.factId ?? 0));
    if (to.subscriptions.length > 0 && to.factId > (from?.factId ?? 0)) evaluations.add(address, to);
    if (from?.windows !== to.windows && stream.follows(address.tenant, address.name)) {
      stream.facts(address.tenant, address.name, () =>
        factsData(address, to, tenantOf(address.tenant)?.window.size),
      );
    }
    if (from?.outbox === to.outbox) return;
    const { firings, alerts, transitions } = newWork(from?.outbox ?? [], to.outbox);
    totals.firings += firings.length;
    totals.transitions += transitions.length;
    for (const transition of transitions) {
      stream.publish(transitionEvent(address, transition, stateOf(to)));
      const { ruleId } = transition;
      const generic = tenantOf(address.tenant)?.rules ?? [];
      changes.add(address.tenant, transition, () => findRule(ruleId, to.rules, generic)?.name ?? ruleId);
    }
    for (const firing of firings) stream.publish(firingEvent(address, firing));
    for (const alert of alerts) {
      for (const firing of alert.firings ?? []) {
        totals.firings += 1;
        stream.publish(alertEvent(address, alert, firing));
      }
    }
  };

  const transaction = (change: CommitChange): void => {
    const { before, after } = change;
    if (after.state !== RECORDED || before?.state === RECORDED) return;
    // Only a transaction that had a receipt was ever checked.
    const { checks = 0 } = (before?.context as TransactionContext | undefined) ?? {};
    if (checks === 0) totals.receipts += 1;
    stream.publish(receiptEvent(change));
  };

  const published =
    (eventOf: (change: CommitChange, now: number) => NodeEvent | undefined) =>
    (change: CommitChange): void => {
      const event = eventOf(change, now());
      if (event !== undefined) stream.publish(event);
    };
  const delivery = published(deliveryEvent);
  const receiver = published(receiverEvent);
  const endpoint = published(suspensionEvent);

  return {
    /** The runtime's hook for commits. A commit of measurements costs a look at each subscription. */
    onCommit(change: CommitChange): void {
      const { kind } = change.address;
      if (kind === SERVER) server(change);
      else if (kind === DELIVERY) delivery(change);
      else if (kind === TRANSACTION) transaction(change);
      else if (kind === RECEIVER) receiver(change);
      else if (kind === ENDPOINT) endpoint(change);
    },
    /** Publishes a fault. */
    onFault(fault: ActorFault): void {
      faults.add(fault);
      stream.publish(faultEvent(fault, now()));
    },
    /** Returns the last fault of an actor on this node, by its id. */
    lastFault: faults.of,
    /** Makes the actors of this node known, from which the size of a tenant's windows is read. */
    observe(actors: Pick<Actors, 'peek'>): void {
      peek = (address) => actors.peek(address);
    },
    totals: (): Totals => ({ ...totals }),
    /** Returns when a rule of a tenant was last evaluated on this node, ms since the epoch; undefined: not since its start. */
    lastEvaluation: evaluations.of,
    /** Start of the observation, ms since the epoch. */
    startedAt,
    /** Returns the changes of states of one tenant in the last day; undefined: of all tenants. */
    changes: (tenant: string | undefined): ChangesView => changes.read(tenant),
  };
}

/** Returns the firings, the changes of alerts, and the transitions in an outbox that were not in it before. */
function newWork(before: readonly OutboxEntry[], after: readonly OutboxEntry[]) {
  const known = new Set(before.map(({ id }) => id));
  const recorded = Math.max(
    0,
    ...before.filter(isRecord).map((entry) => entry.first + entry.transitions.length),
  );
  const firings = after.filter((entry): entry is DispatchEffect => isFiring(entry) && !known.has(entry.id));
  // An entry may take the place of another one with its id.
  const serials = new Set(before.map(({ serial }) => serial));
  const alerts = after.filter(
    (entry): entry is AlertEffect => entry.type === 'alert' && !serials.has(entry.serial),
  );
  // An entry that is shortened has another id: its transitions are known by their numbers.
  const transitions = after
    .filter(isRecord)
    .filter((entry) => entry.first + entry.transitions.length > recorded)
    .flatMap((entry) => transitionsOf(entry).filter((_, i) => entry.first + i >= recorded));
  return { firings, alerts, transitions };
}

function isRecord(entry: OutboxEntry): entry is RecordEffect {
  return entry.type === 'record';
}

function isFiring(entry: OutboxEntry): boolean {
  if (entry.type !== 'dispatch') return false;
  const { message, state } = entry as DispatchEffect;
  return message.channel === 'webhook' && state === undefined;
}
