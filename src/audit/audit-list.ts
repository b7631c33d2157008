import { contextIn } from '../actors/behavior.js';
import { newestOf } from '../store/newest.js';
import { addressOf, type Store } from '../store/port.js';
import { AUDIT, type AuditContext, type AuditEntry } from './audit-machine.js';

/** Which changes to list. */
export interface AuditFilter {
  /** undefined: of all tenants. */
  readonly tenant: string | undefined;
  readonly what: string | undefined;
  /** A part of who made the change, or of its target. */
  readonly query: string | undefined;
  /** `next` of the page before. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** A change of a tenant. */
export interface ListedEntry {
  readonly tenantId: string;
  readonly entry: AuditEntry;
}

/** Maximum number of entries that are read for a page. A page of a rare kind may be short or empty, and is not the last one. */
const READ_LIMIT = 5_000;

/** Returns a page of changes not older than `since` (ms since the epoch), newest first, with the `before` of the next page. */
export async function listAudit(
  store: Store,
  filter: AuditFilter,
  since: number,
): Promise<{ readonly items: readonly ListedEntry[]; readonly next: string | null }> {
  const { tenant, before, limit } = filter;
  const items: ListedEntry[] = [];
  let last: string | undefined;
  let read = 0;
  for await (const listed of newestOf(store, { kind: AUDIT, tenant, states: undefined, before })) {
    if (items.length === limit || read === READ_LIMIT) return { items, next: last! };
    read += 1;
    const { tenant: tenantId, name } = addressOf(listed.id);
    last = name;
    const { entry } = contextIn(listed) as AuditContext;
    if (entry === undefined || entry.at < since) continue;
    if (isAsked(entry, filter)) items.push({ tenantId, entry });
  }
  return { items, next: null };
}

function isAsked({ what, who, target }: AuditEntry, { what: asked, query }: AuditFilter): boolean {
  if (asked !== undefined && what !== asked) return false;
  return query === undefined || who.includes(query) || target.includes(query);
}
