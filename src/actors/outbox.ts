import type { ActorEvent, OutboxEntry } from './kind.js';

/** The event of an effect whose entry is done and has no other result: the machine removes the entry. */
export interface PerformedEvent extends ActorEvent {
  readonly type: 'performed';
  readonly entryId: string;
}

/** The change of a context that removes the entry which an event names; an unknown entry changes nothing. */
export function removePerformed<E extends OutboxEntry>(
  { outbox }: { readonly outbox: readonly E[] },
  { entryId }: { readonly entryId: string },
): { outbox: readonly E[] } {
  return { outbox: outbox.filter(({ id }) => id !== entryId) };
}

/** The `performed` event of an entry. */
export function performed({ id }: OutboxEntry, now: number): PerformedEvent {
  return { type: 'performed', now, entryId: id };
}
