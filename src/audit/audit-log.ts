import type { ActorKind, EffectRun } from '../actors/kind.js';
import { type AuditEffect, AUDIT_EFFECT } from '../actors/notes.js';
import { performed } from '../actors/outbox.js';
import { settledInTime } from '../system/in-time.js';
import { auditAddress, type AuditEvent, auditKind } from './audit-machine.js';

/** Longest time that a reader waits for changes of this node that are being recorded, ms. */
const WAIT_MS = 1_000;

/** The audit of one node. */
export type AuditLog = ReturnType<typeof createAuditLog>;

/** Creates the audit. `keepMs`: how long a change is kept. `now` is in ms since the epoch. */
export function createAuditLog({ keepMs, now }: { readonly keepMs: number; readonly now: () => number }) {
  const recording = new Set<Promise<unknown>>();

  const record = async (entry: AuditEffect, _context: unknown, { address, actors }: EffectRun) => {
    const { at, author, note } = entry;
    const event: AuditEvent = { type: 'record', now: now(), entry: { at, ...author, ...note } };
    const recorded = actors.ask(auditAddress(address.tenant, entry), event);
    const settled = recorded.catch(() => undefined).finally(() => recording.delete(settled));
    recording.add(settled);
    await recorded;
    return performed(entry, now());
  };

  return {
    keepMs,
    /** Returns the kinds with that of the entries. Those that have `notes` record them. */
    kindsWith(kinds: readonly ActorKind[]): readonly ActorKind[] {
      const audited = kinds.map((kind): ActorKind => {
        if (kind.notes === undefined) return kind;
        return { ...kind, effects: { ...kind.effects, [AUDIT_EFFECT]: record } };
      });
      return [...audited, auditKind(keepMs)];
    },
    /** Resolves once all changes that this node has answered are recorded, or after a second. */
    async settled(): Promise<void> {
      if (recording.size > 0) await settledInTime(Promise.all(recording), WAIT_MS);
    },
  };
}
