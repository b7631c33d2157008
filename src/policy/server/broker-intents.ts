import { without } from '../../actors/outbox.js';
import { Refusal } from '../../errors.js';
import { endLease, withEnded } from './broker-leases.js';
import type {
  Change,
  EraseEffect,
  EventOf,
  IntendEffect,
  RetractEffect,
  ServerContext,
} from './server-context.js';

// Before the service asks the broker for a subscription, the server commits an `intend` entry. The entry and the
// subscription at the broker share a mark. The commit that binds the subscription removes the entry. If the process dies
// or the broker does not answer, the entry becomes a `retract` entry. From then on nothing can bind the intent, and
// every subscription with the mark is ended at the broker.

/** Maximum time that a broker takes to carry out a request, ms. The mark is looked for as long. */
const LATE_MS = 60_000;

/** Returns the intent with a mark; undefined if it was given up. */
export function intentOf(context: ServerContext, mark: string): IntendEffect | undefined {
  return markedIn(context, mark).find((entry) => entry.type === 'intend');
}

/** Returns the refusal for a subscription that the broker granted after its intent was given up. */
export function tooLate(): Refusal {
  return new Refusal('unavailable', 'the context broker took too long; nothing was done', { retryAfterS: 5 });
}

/** Removes an intent that left nothing at the broker. */
export function abandon(context: ServerContext, { mark }: EventOf<'abandon'>): Change {
  const intent = intentOf(context, mark);
  return intent === undefined ? {} : { outbox: without(context.outbox, intent.id) };
}

/** Ends a lease that no policy subscription uses, and removes its intent. */
export function discard(context: ServerContext, { brokerId, mark }: EventOf<'discard'>): Change {
  const intent = mark === undefined ? undefined : intentOf(context, mark);
  const outbox = intent === undefined ? context.outbox : without(context.outbox, intent.id);
  return endLease({ ...context, outbox }, brokerId);
}

/** Gives up an intent that no request follows any more. Its mark is then ended at the broker. */
export function settle(context: ServerContext, { mark }: EventOf<'settle'>): Change {
  const intent = intentOf(context, mark);
  if (intent === undefined) return {};
  return { outbox: [...without(context.outbox, intent.id), asRetract(intent)] };
}

/** Removes the `retract` entry. Keeps it while nothing was found but the broker may still be late. */
export function retracted(context: ServerContext, { mark, brokerIds, now }: EventOf<'retracted'>): Change {
  const entry = markedIn(context, mark).find(({ type }) => type === 'retract');
  if (entry === undefined) return {};
  if (brokerIds.length === 0 && now < entry.at + LATE_MS) return {};
  return { outbox: without(context.outbox, entry.id), ended: withEnded(context, brokerIds) };
}

/** True if the event removes the last intent of a server that is known by intents alone. The server is then unknown. */
export function forgets(context: ServerContext, event: EventOf<'abandon'> | EventOf<'retracted'>): boolean {
  const changed = event.type === 'abandon' ? abandon(context, event) : retracted(context, event);
  return changed.outbox?.length === 0 && !isKnown(context);
}

/** True if a server has or had more than intents that came to nothing, and was not deleted since. */
export function isKnown({ outbox, factId, rules, subscriptions }: ServerContext): boolean {
  if (factId > 0 || rules.length > 0 || subscriptions.length > 0) return true;
  return !outbox.some((entry) => isOfUnknown(entry) && !entry.known);
}

/** Marks the entries in the outbox of a server that is now known: it stays known when they are gone. */
export function asKnown(outbox: ServerContext['outbox']): ServerContext['outbox'] {
  if (!outbox.some((entry) => isOfUnknown(entry) && !entry.known)) return outbox;
  return outbox.map((entry) => (isOfUnknown(entry) ? { ...entry, known: true } : entry));
}

/** Returns an entry of a server that is deleted: an intent is given up, and does not make the server known. */
export function asGivenUp(entry: ServerContext['outbox'][number]): ServerContext['outbox'][number] {
  if (!isIntent(entry)) return entry;
  return entry.type === 'retract' ? { ...entry, known: false } : { ...asRetract(entry), known: false };
}

function asRetract(intent: IntendEffect): RetractEffect {
  return { ...intent, id: `retract:${intent.mark}`, type: 'retract' };
}

/** True for an entry that says whether the server is known. */
function isOfUnknown(
  entry: ServerContext['outbox'][number],
): entry is IntendEffect | RetractEffect | EraseEffect {
  return isIntent(entry) || entry.type === 'erase';
}

/** True if the mark belongs to an intent, also one that was given up. */
export function isMarked(context: ServerContext, mark: string): boolean {
  return markedIn(context, mark).length > 0;
}

function markedIn({ outbox }: ServerContext, mark: string): readonly (IntendEffect | RetractEffect)[] {
  return outbox.filter(isIntent).filter((entry) => entry.mark === mark);
}

function isIntent(entry: ServerContext['outbox'][number]): entry is IntendEffect | RetractEffect {
  return entry.type === 'intend' || entry.type === 'retract';
}
