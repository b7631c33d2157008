import type { FleetRow, FleetView } from '../../../../src/policy/fleet/shapes.js';
import { get } from '../../api.js';
import { type Query, useQuery } from '../../query.js';
import { withQuery } from '../../router.js';

/** Which servers are listed. An empty member filters nothing. */
export type ServerFilter = Readonly<
  Partial<Record<'query' | 'tenant' | 'state' | 'rule' | 'label' | 'sort', string>>
>;

/** The servers found so far. */
export interface FoundServers {
  readonly rows: readonly FleetRow[];
  readonly next: string | null;
  /** The search that has found them. */
  readonly path: string;
  /** True while more of the page may be found. */
  readonly searching: boolean;
}

/** Rows of a page. */
const PAGE = 50;
/** Servers in one answer, and in all, of those that are chosen by a filter. */
const ALL = { atOnce: 1_000, inAll: 5_000 };

function pathFrom(filter: ServerFilter, after: string, limit: number): string {
  return withQuery('/console/api/servers', { ...filter, after, limit: String(limit) });
}

/**
 * Lists servers, and again while the page is visible. The service stops a long search after a time: it is asked to go on
 * until the page is full or nothing is left. The first search shows what it finds at once; a later one replaces the rows when
 * it is through.
 */
export function useServers(filter: ServerFilter, after: string): Query<FoundServers> {
  const path = pathFrom(filter, after, PAGE);
  const found = useQuery<FoundServers>(path, {
    on: ['transition', 'delivery'],
    every: 5_000,
    pauses: 20,
    async read(signal, show) {
      const rows: FleetRow[] = [];
      for (let from = after; ;) {
        const { servers, next } = await get<FleetView<FleetRow>>(
          pathFrom(filter, from, PAGE - rows.length),
          signal,
        );
        rows.push(...servers);
        const searching = next !== null && rows.length < PAGE;
        const page = { rows: [...rows], next, path, searching };
        if (!searching) return page;
        show(page);
        from = next;
      }
    },
  });
  const { data } = found;
  return { ...found, data: data && { ...data, searching: data.searching || data.path !== path } };
}

/** Reads all servers of a filter, 5,000 at most. */
export async function allServers(filter: ServerFilter): Promise<readonly FleetRow[]> {
  const found: FleetRow[] = [];
  for (let after: string | null = ''; after !== null && found.length < ALL.inAll;) {
    const page: FleetView<FleetRow> = await get<FleetView<FleetRow>>(pathFrom(filter, after, ALL.atOnce));
    found.push(...page.servers);
    after = page.next;
  }
  return found;
}
