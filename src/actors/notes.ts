import { Refusal } from '../errors.js';
import type { Address } from '../store/port.js';
import type { Snapshot } from './behavior.js';
import type { ActorEvent, ActorKind, Author, ChangeNote, OutboxEntry } from './kind.js';

/** Type of the outbox entries that hand changes over to the audit. */
export const AUDIT_EFFECT = 'audit';

/** A change that is not yet in the audit. */
export interface AuditEffect extends OutboxEntry {
  readonly type: typeof AUDIT_EFFECT;
  /** When it was made, ms since the epoch. */
  readonly at: number;
  readonly author: Author;
  readonly note: ChangeNote;
}

/** True for an entry that no change of its actor may take out of the outbox before it is performed. */
export function isAudit(entry: OutboxEntry): boolean {
  return entry.type === AUDIT_EFFECT;
}

/**
 * Returns the decision on an event with an author, with an entry in the outbox for each change that the kind names. A refused
 * event has none. Throws for a decision that deletes the document: its entries would be lost.
 */
export function withNotes(
  kind: ActorKind,
  address: Address,
  before: Snapshot,
  decided: Snapshot,
  event: ActorEvent,
  nextSerial: () => number,
): Snapshot {
  const { author, now: at } = event;
  const { context } = decided;
  if (author === undefined || kind.notes === undefined || context.reply instanceof Refusal) return decided;
  const notes = kind.notes(event as never, before.context as never, context as never, address);
  if (notes.length === 0) return decided;
  if (decided.value === kind.deletedState)
    throw new Error(`${event.type} deletes a ${kind.name} whose change is audited`);
  const entries = notes.map((note): AuditEffect => {
    const serial = nextSerial();
    return { id: `audit:${serial}`, serial, type: AUDIT_EFFECT, at, author, note };
  });
  return { value: decided.value, context: { ...context, outbox: [...context.outbox, ...entries] } };
}
