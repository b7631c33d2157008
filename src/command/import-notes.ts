import { randomUUID } from 'node:crypto';
import { behavior } from '../actors/behavior.js';
import { auditAddress, type AuditEvent, auditKind } from '../audit/audit-machine.js';
import { noteOf } from '../audit/change-notes.js';
import { TENANT } from '../policy/tenant/tenant-machine.js';
import { actorId, addressOf, type Commit, type Listed } from '../store/port.js';
import { RANGE } from '../store/revisions.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What the audit says of an import. */
interface Imported {
  /** Version of the release that wrote the file. */
  readonly version: string;
  /** Documents of the file. */
  readonly documents: number;
  /** ms since the epoch. */
  readonly at: number;
  /** The highest range of revisions in use: see `rangeOf`. */
  readonly reserved: number;
}

/** Collects the tenants of an import, and makes an entry of the audit for each. */
export function importNotes(auditDays: number) {
  const kind = auditKind(auditDays * DAY_MS);
  const audit = behavior(kind);
  const tenants = new Set<string>();
  return {
    /** Adds the tenant, if the document is that of a tenant. */
    add({ id }: Pick<Listed, 'id'>): void {
      if (auditDays === 0) return;
      const { kind: name, tenant } = addressOf(id);
      if (name === TENANT) tenants.add(tenant);
    },
    /** Returns commits of the entries. Each has the first revision of a range of its own, after `reserved`. */
    commits({ version, documents, at, reserved }: Imported): readonly Commit[] {
      const note = noteOf('import', 'tenant', { version, documents });
      const entry = { at, who: 'operator', via: 'command', ...note };
      const event: AuditEvent = { type: 'record', now: at, entry };
      return [...tenants].map((tenant, i) => {
        const address = auditAddress(tenant, { at });
        const kept = audit.next(audit.initial(address), event);
        return {
          id: actorId(address),
          expected: 0,
          revision: (reserved + 1 + i) * RANGE,
          commitId: randomUUID(),
          next: audit.document(kept, undefined, kept.context.wakeAt),
          previous: undefined,
        };
      });
    },
  };
}
