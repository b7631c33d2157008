import type { ServerRowView, ServersView } from '../../../../src/console/shapes.js';
import { get } from '../../api.js';
import { type Query, useQuery } from '../../query.js';
import { withQuery } from '../../router.js';

/** A search for servers. An empty member searches everything. */
type ServerFilter = Readonly<Record<'query' | 'tenant' | 'state' | 'after', string>>;

/** The servers found so far. */
export interface FoundServers {
  readonly rows: readonly ServerRowView[];
  readonly next: string | null;
  /** The search that has found them. */
  readonly path: string;
  /** True while more of the page may be found. */
  readonly searching: boolean;
}

/** Rows of a page. */
const PAGE = 50;

/**
 * Searches for servers, and again while the page is visible. The service stops a long search after a time: it is asked
 * to go on until the page is full or nothing is left. The first search shows what it finds at once; a later one replaces
 * the rows when it is through.
 */
export function useServers(filter: ServerFilter): Query<FoundServers> {
  const pathFrom = (after: string, limit = PAGE): string =>
    withQuery('/console/api/servers', { ...filter, after, limit: String(limit) });
  const path = pathFrom(filter.after);
  const found = useQuery<FoundServers>(path, {
    on: ['transition'],
    every: 5_000,
    pauses: 50,
    async read(signal, show) {
      const rows: ServerRowView[] = [];
      for (let from = filter.after; ;) {
        const { servers, next } = await get<ServersView>(pathFrom(from, PAGE - rows.length), signal);
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
