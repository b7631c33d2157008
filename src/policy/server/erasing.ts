import { without } from '../../actors/outbox.js';
import { withAlertNotices } from './alert-changes.js';
import { asGivenUp, isKnown } from './broker-intents.js';
import { endOfLease, withEnded } from './broker-leases.js';
import { newServer } from './new-server.js';
import type { Change, EraseEffect, EventOf, ServerContext, ServerEffect } from './server-context.js';
import { unknownServer } from './server-decisions.js';

// A deleted server is a new one with an `erase` entry in its outbox. The effect of the entry deletes what other actors have of the
// server, and the entries before it end what is at the broker. A fact that comes meanwhile begins with number 1. The document is
// deleted with its last entry, unless the server is known again.

const ERASE = 'erase';

/**
 * Deletes the server. Replies with the entry that deletes what other actors have of it. Throws `Refusal('not-found')` for an
 * unknown server.
 */
export function remove(context: ServerContext, { now }: EventOf<'delete'>): Change {
  if (!isKnown(context)) throw unknownServer(context.address.name);
  return forgotten(context, now, false);
}

/** Deletes the server. `idle`: it has no subscription any more, and few of its messages can be left. */
export function forgotten(context: ServerContext, now: number, idle: boolean): Change {
  const { subscriptions, recorded = 0 } = context;
  const urls = [...new Set(subscriptions.map(({ url }) => url))];
  const entry: EraseEffect = { id: ERASE, type: ERASE, at: now, recorded, urls, idle, known: false };
  const notices = withAlertNotices({ ...context, outbox: [] }, subscriptions, now);
  const { outbox = [], ...ended } = endedAtBroker(context, entry);
  return { ...ended, outbox: [...notices, ...outbox], reply: entry };
}

/** Deletes the server with its tenant, which deletes what other actors have of it. */
export function removeWithTenant(context: ServerContext, { now }: EventOf<'deleteWithTenant'>): Change {
  if (erasing(context)?.erased === true && !isKnown(context)) return {};
  const entry: EraseEffect = {
    id: ERASE,
    type: ERASE,
    at: now,
    recorded: 0,
    urls: [],
    idle: true,
    known: false,
    erased: true,
  };
  return endedAtBroker(context, entry);
}

/** True if nothing has to be done for a server that is deleted: its document can be deleted at once. */
export function isAway({ subscriptions, outbox }: ServerContext): boolean {
  return subscriptions.every(({ broker }) => broker === undefined) && !outbox.some(outlives);
}

/** Returns a new server that ends what the old one has at the broker. Late facts of these subscriptions do not count. */
function endedAtBroker(context: ServerContext, erase: EraseEffect): Change {
  const { address, subscriptions, outbox, recorded, tenantVersion } = context;
  const brokerIds = subscriptions.flatMap(({ broker }) => (broker === undefined ? [] : [broker.id]));
  const left = outbox.filter(outlives).map(asGivenUp);
  return {
    ...newServer(address),
    tenantVersion,
    // The numbers go on: the transitions of the old server may still be in its history.
    recorded,
    ended: withEnded(context, brokerIds),
    outbox: [...left, ...brokerIds.map(endOfLease), erase],
  };
}

/** The effects of a server that end with it. */
const OWN: ReadonlySet<string> = new Set<ServerEffect['type']>([
  'dispatch',
  'renew',
  'resume',
  'record',
  'trend',
  'alert',
  'noDataTimeout',
  ERASE,
]);

/** True for an effect that is performed although the server is deleted, such as the end of a subscription at the broker. */
function outlives({ type }: ServerEffect): boolean {
  return !OWN.has(type);
}

/** What other actors had of the server is deleted. The entry stays while others do, as it says that the server is not known. */
export function erased(context: ServerContext, _event: EventOf<'erased'>): Change {
  const entry = erasing(context);
  if (entry === undefined) return {};
  if (context.outbox.length === 1 || isKnown(context)) return { outbox: without(context.outbox, ERASE) };
  return { outbox: context.outbox.map((one) => (one === entry ? { ...entry, erased: true } : one)) };
}

/** True if the event removes the last entry of a server that is not known. */
export function isErased(context: ServerContext, event: EventOf<'erased'>): boolean {
  return !isKnown(context) && erased(context, event).outbox?.length === 0;
}

/** Returns the entry that deletes what other actors have of the server before; undefined: nothing is left. */
export function erasing({ outbox }: Pick<ServerContext, 'outbox'>): EraseEffect | undefined {
  return outbox.find((entry) => entry.type === ERASE);
}
