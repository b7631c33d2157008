import { decides } from '../actors/decides.js';
import { isAudit } from '../actors/notes.js';
import { type PerformedEvent, removePerformed } from '../actors/outbox.js';
import {
  needsOf,
  type Attempt,
  type DeliveryContext,
  type DeliveryEffect,
  type DeliveryEvent,
  type EventOf,
  type ReleasedEvent,
  type RenewEvent,
  type DispatchEvent,
  type Renewed,
} from './delivery.js';
import { isPending } from './order.js';
import { receiverId } from './receiver/receiver-machine.js';

// What the transitions of a delivery do, one by one.

/** Maximum number of attempts that are kept. */
const ATTEMPTS_KEPT = 20;

/** What an event changes of the context. */
export type Change = Partial<DeliveryContext>;
/** What guards get. */
export type Given<E = DeliveryEvent> = { readonly context: DeliveryContext; readonly event: E };

/** True while the endpoint is told that a dead letter is deleted. */
export function isExpiring({ context }: Given): boolean {
  return context.outbox.some(({ type }) => type === 'expire');
}

/** True for an event that has no permit for the delivery. */
export function isWithoutPermit({ event }: { readonly event: DeliveryEvent }): boolean {
  return 'until' in event && event.until !== undefined;
}

/** Returns what a delivery keeps of the message that it begins with. */
export function dispatched({ message, about, now: since, after }: DispatchEvent): Change {
  const receiver = message.channel === 'webhook' ? receiverId(about.tenant, message.url) : undefined;
  return { message, about, receiver, since, after, ...needsOf(message) };
}

/** Replies that a request was carried out. */
export function confirm(): Change {
  return { reply: true };
}

/** Begins a delivery. */
export function dispatch(context: DeliveryContext, event: DispatchEvent): Change {
  return { ...dispatched(event), ...begun(context, event) };
}

/** Makes the attempt after `tries` others, or waits for a permit. */
function begun(
  context: DeliveryContext,
  { until }: DispatchEvent | ReleasedEvent | RenewEvent,
  tries = 0,
): Change {
  return until === undefined ? attempt(context, tries) : { outbox: lastingOf(context), wakeAt: until };
}

/** Stores which message waits for this pending delivery. */
export function remember(context: DeliveryContext, { successor }: EventOf<'follow'>): Change {
  return isPending('waiting', context) ? { next: successor, reply: true } : { reply: false };
}

/** Ends the wait for the messages before. */
export function released({ now }: ReleasedEvent): Change {
  return { after: undefined, released: now };
}

/** Begins a delivery that was blocked. */
export function release(context: DeliveryContext, event: ReleasedEvent): Change {
  return { ...released(event), ...begun(context, event) };
}

/** True for an entry that leaves the outbox once it is performed, and never before. */
function isLasting(entry: DeliveryEffect): boolean {
  return entry.type === 'release' || isAudit(entry);
}

/** The releases, and the changes for the audit, that are not performed yet. No other entry may remove them from the outbox. */
export function lastingOf({ outbox }: DeliveryContext): readonly DeliveryEffect[] {
  return outbox.length === 0 ? outbox : outbox.filter(isLasting);
}

/** True if no message waits for its release, and every change is in the audit: the delivery can be deleted. */
export function isFree({ context }: { readonly context: DeliveryContext }): boolean {
  return !context.outbox.some(isLasting);
}

/** True if the event removes the last release that a delivery is kept for. */
export function releasedLast({
  context,
  event,
}: {
  readonly context: DeliveryContext;
  readonly event: PerformedEvent;
}): boolean {
  return isFree({ context: { ...context, ...removePerformed(context, event) } });
}

/** Ends a delivery: the message that waits for it is released. */
export function over(context: DeliveryContext, added: readonly DeliveryEffect[]): Change {
  const outbox = [...lastingOf(context), ...added];
  const { next: successor } = context;
  if (successor === undefined) return { outbox };
  return { outbox: [{ id: `release:${successor}`, type: 'release', successor }, ...outbox], next: undefined };
}

/** The transitions that delete a pending delivery: once the message that waits for it is released. */
export function leaving(reply: () => Change = () => ({})) {
  const isLast = ({ context, event }: Given): boolean =>
    context.next === undefined && event.author === undefined && isFree({ context });
  const leave = (context: DeliveryContext): Change => ({
    ...over(context, []),
    wakeAt: undefined,
    ...reply(),
  });
  return [
    { guard: isLast, target: 'gone', actions: decides(leave) },
    { target: 'ending', actions: decides(leave) },
  ] as const;
}

/** Keeps a delivery until the message that waits for it is released. */
export function end(context: DeliveryContext): Change {
  return { outbox: lastingOf(context), wakeAt: undefined };
}

/** Makes an attempt after so many others. */
function attempt(context: DeliveryContext, tries: number): Change {
  return {
    outbox: [...lastingOf(context), { id: `attempt:${tries + 1}`, type: 'attempt' }],
    wakeAt: undefined,
  };
}

/** Makes the next attempt. */
export function tryAgain(context: DeliveryContext): Change {
  return attempt(context, context.tries);
}

/** It stays in its queue: a permit is given as for any other attempt. */
export function tryNow(_: DeliveryContext, { now }: DeliveryEvent): Change {
  return { wakeAt: now, reply: true };
}

/** Adds an attempt to the newest ones. */
export function tried(context: DeliveryContext, newest: Attempt): Change {
  const { tries, attempts } = context;
  return {
    outbox: lastingOf(context),
    tries: tries + 1,
    attempts: [...attempts, newest].slice(-ATTEMPTS_KEPT),
  };
}

/** Waits for a permit. */
export function postpone(context: DeliveryContext, { until }: EventOf<'postponed'>): Change {
  return { outbox: lastingOf(context), wakeAt: until };
}

/** Tells the endpoint that a dead letter has reached its age. */
export function expire(context: DeliveryContext): Change {
  return { outbox: [...lastingOf(context), { id: 'expire', type: 'expire' }], wakeAt: undefined };
}

/** Begins a delivery anew. */
export function redeliver(context: DeliveryContext, { now }: DeliveryEvent): Change {
  return {
    since: now,
    released: undefined,
    redelivered: true,
    reply: true,
    tries: 0,
    ...attempt(context, 0),
  };
}

/** Puts a newer message in the place of the one before, and begins anew. One that waited goes on to fail since when it did. */
function renew(context: DeliveryContext, event: RenewEvent, was: Renewed): Change {
  const { message, about, now } = event;
  const tries = was === 'waiting' ? context.tries : 0;
  const begins =
    was === 'waiting' ? { since: context.since } : { released: undefined, redelivered: undefined };
  return {
    ...dispatched({ type: 'dispatch', now, message, about }),
    ...begins,
    tries,
    reply: was,
    ...begun(context, event, tries),
  };
}

/** Puts a newer message in the place of one that waits. It is tried when that one was to be. */
export function replace({ since }: DeliveryContext, { now, message, about }: RenewEvent): Change {
  return { ...dispatched({ type: 'dispatch', now, message, about }), since, reply: 'waiting' };
}

/** The transitions that renew a delivery in a state in which nothing is under way. */
export function renewing(was: Exclude<Renewed, 'busy'>) {
  const action = decides((context: DeliveryContext, event: RenewEvent) => renew(context, event, was));
  return [
    { guard: isWithoutPermit, target: 'waiting', actions: action },
    { target: 'sending', actions: action },
  ] as const;
}
