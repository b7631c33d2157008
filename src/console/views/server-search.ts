import { setImmediate } from 'node:timers/promises';
import type { Range } from '../../operator/query.js';
import { SERVER } from '../../policy/server/server-kind.js';
import type { ServerState } from '../../policy/explain/shapes.js';
import { addressOf, type Outline, type Store } from '../../store/port.js';

/** The servers that were found. `next`: the value of `after` that goes on; null at the end. */
export interface FoundServers {
  readonly servers: readonly FoundServer[];
  readonly next: string | null;
}

interface FoundServer {
  readonly tenantId: string;
  readonly serverId: string;
  readonly state: ServerState;
}

/** What a search looks for. */
export interface ServerSearch extends Range {
  /** Part of the server's id, in any case. */
  readonly query: string;
}

/** How much one request searches. */
export interface SearchBudget {
  /** Outlines read in one turn of the event loop. */
  readonly pageSize: number;
  /** Time after which the search stops at the end of a page, ms. */
  readonly ms: number;
}

/** An outline of the embedded store takes about 1 µs, so a page holds the event loop for about 1 ms. */
const BUDGET: SearchBudget = { pageSize: 1_000, ms: 60 };

/**
 * Finds servers in the order of tenant and id. A search that takes longer than its budget returns the servers found so
 * far, maybe none, with `next`: the next request goes on from there. `now` returns ms.
 */
export async function findServers(
  store: Store,
  { query, tenant, after, limit }: ServerSearch,
  now: () => number,
  budget = BUDGET,
): Promise<FoundServers> {
  const wanted = query.toLowerCase();
  const end = now() + budget.ms;
  const found: Outline[] = [];
  for (let from = after; ;) {
    const { items, more } = await store.outline({
      kind: SERVER,
      tenant,
      after: from,
      limit: budget.pageSize,
    });
    for (const item of items) {
      if (nameOf(item).toLowerCase().includes(wanted)) found.push(item);
    }
    if (found.length > limit)
      return { servers: found.slice(0, limit).map(rowOf), next: found[limit - 1]!.id };
    if (!more) return { servers: found.map(rowOf), next: null };
    from = items.at(-1)!.id;
    if (now() >= end) return { servers: found.map(rowOf), next: from };
    await setImmediate();
  }
}

function nameOf({ id }: Outline): string {
  return addressOf(id).name;
}

function rowOf({ id, state }: Outline): FoundServer {
  const { tenant, name } = addressOf(id);
  return { tenantId: tenant, serverId: name, state: state as ServerState };
}
