import { setup } from 'xstate';
import { decides } from '../actors/decides.js';
import type { ActorContext, ActorEvent, ActorKind, Author, ChangeNote } from '../actors/kind.js';
import type { AuditEffect } from '../actors/notes.js';
import type { Address } from '../store/port.js';

/** Kind of the actors that keep one audited change each. */
export const AUDIT = 'audit';

/** A change, and who made it. */
export interface AuditEntry extends Author, ChangeNote {
  /** ms since the epoch. */
  readonly at: number;
}

export interface AuditContext extends ActorContext {
  /** undefined before it is recorded. */
  readonly entry: AuditEntry | undefined;
}

export type AuditEvent = ActorEvent &
  ({ readonly type: 'record'; readonly entry: AuditEntry } | { readonly type: 'wake' });

/** The kind of audited changes, each kept for `keepMs`. */
export function auditKind(keepMs: number): ActorKind {
  const endOf = ({ at }: AuditEntry): number => at + keepMs;
  const machine = setup({
    types: { context: {} as AuditContext, events: {} as AuditEvent },
  }).createMachine({
    id: AUDIT,
    context: { entry: undefined, outbox: [], wakeAt: undefined, reply: undefined },
    initial: 'new',
    states: {
      new: {
        on: {
          record: {
            target: 'kept',
            actions: decides((_: AuditContext, { entry }: Extract<AuditEvent, { type: 'record' }>) => ({
              entry,
              wakeAt: endOf(entry),
            })),
          },
        },
      },
      kept: {
        on: {
          wake: [
            { guard: ({ context, event }) => endOf(context.entry!) <= event.now, target: 'gone' },
            // It was recorded when entries were kept for a shorter time.
            { actions: decides(({ entry }: AuditContext) => ({ wakeAt: endOf(entry!) })) },
          ],
        },
      },
      gone: {},
    },
  });
  return {
    name: AUDIT,
    version: 1,
    machine,
    evictAfter: ['kept'],
    unindexedState: 'kept',
    deletedState: 'gone',
    effects: {},
  };
}

/** Hexadecimal digits of the parts of a name. */
const DIGITS = { time: 12, serial: 14 };
/** The name of an entry. */
export const AUDIT_NAME = new RegExp(`^aud_[0-9a-f]{${DIGITS.time + DIGITS.serial}}$`);

/** Returns the address of an entry: its name begins with the time, and is the same at every attempt to record it. */
export function auditAddress(
  tenant: string,
  { serial = 0, at }: Pick<AuditEffect, 'serial' | 'at'>,
): Address {
  const time = hex(Math.max(0, Math.trunc(at)), DIGITS.time);
  return { kind: AUDIT, tenant, name: `aud_${time}${hex(serial, DIGITS.serial)}` };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
