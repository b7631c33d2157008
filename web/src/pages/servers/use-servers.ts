import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ServerRowView, ServersView } from '../../../../src/console/shapes.js';
import { ApiError, get } from '../../api.js';
import { refresh, useLive } from '../../live.js';
import { withQuery } from '../../router.js';

/** A search for servers. An empty member searches everything. */
export interface ServerFilter {
  readonly query: string;
  readonly tenant: string;
  readonly state: string;
  readonly after: string;
}

/** The servers found so far. */
export interface FoundServers {
  /** undefined before the first answer. */
  readonly rows: readonly ServerRowView[] | undefined;
  readonly next: string | null;
  /** True while more of the page may be found. */
  readonly searching: boolean;
  readonly error: ApiError | undefined;
}

/** Rows of a page. */
const PAGE = 50;
/** Pause between two searches for the same, ms. */
const EVERY_MS = 5_000;
/** Pause after an event, ms: many events cause one search. */
const SOON_MS = 1_000;
/** A long search is followed by a pause of so many times its length: many consoles must not keep the service busy. */
const PAUSES = 50;
const LONGEST_PAUSE_MS = 10_000;

const NOTHING: FoundServers = { rows: undefined, next: null, searching: true, error: undefined };

/**
 * Searches for servers, and again while the page is visible. The service stops a long search after a time: it is asked
 * to go on until the page is full or nothing is left.
 */
export function useServers({
  query,
  tenant,
  state,
  after,
}: ServerFilter): FoundServers & { readonly again: () => void } {
  const [found, setFound] = useState<FoundServers>(NOTHING);
  const search = useRef<Search | undefined>(undefined);

  useEffect(() => {
    setFound((before) => ({ ...before, searching: true, error: undefined }));
    const own = startSearch({ query, tenant, state, after }, setFound);
    search.current = own;
    return () => own.stop();
  }, [query, tenant, state, after]);
  useLive(['transition'], () => search.current?.soon());

  return { ...found, again: () => search.current?.soon() };
}

interface Search {
  soon(): void;
  stop(): void;
}

function startSearch(filter: ServerFilter, show: (found: FoundServers) => void): Search {
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let first = true;
  /** When the next search is due, and the earliest time for it, ms since the page was opened. */
  let dueAt = Infinity;
  let earliest = 0;

  const run = async (): Promise<void> => {
    running = true;
    const begun = performance.now();
    try {
      // The first search shows what it finds at once; a later one replaces the rows when it is through.
      const last = await searchAll(filter, ending.signal, first ? show : () => {});
      first = false;
      show(last);
    } catch (error) {
      if (ending.signal.aborted) return;
      const fault = error instanceof ApiError ? error : new ApiError(String(error), 0);
      show({ rows: undefined, next: null, searching: false, error: fault });
      first = true;
    } finally {
      running = false;
      const now = performance.now();
      earliest = now + Math.min(PAUSES * (now - begun), LONGEST_PAUSE_MS);
    }
    within(EVERY_MS);
  };
  /** Searches again within a time, unless it is too early. An earlier time that is set stays. */
  const within = (ms: number): void => {
    if (ending.signal.aborted) return;
    const now = performance.now();
    dueAt = Math.max(earliest, Math.min(dueAt, now + ms));
    clearTimeout(timer);
    timer = setTimeout(again, dueAt - now);
  };
  const again = (): void => {
    dueAt = Infinity;
    if (document.visibilityState === 'visible') void run();
    else within(EVERY_MS);
  };
  const soon = (): void => {
    if (!running) within(SOON_MS);
  };

  const begun = refresh.peek();
  const endRefresh = effect(() => {
    if (refresh.value > begun) soon();
  });
  void run();
  return {
    soon,
    stop() {
      clearTimeout(timer);
      ending.abort();
      endRefresh();
    },
  };
}

async function searchAll(
  { after, ...filter }: ServerFilter,
  signal: AbortSignal,
  show: (found: FoundServers) => void,
): Promise<FoundServers> {
  const rows: ServerRowView[] = [];
  for (let from = after; ;) {
    const limit = String(PAGE - rows.length);
    const path = withQuery('/console/api/servers', { ...filter, after: from, limit });
    const { servers, next } = await get<ServersView>(path, signal);
    rows.push(...servers);
    const searching = next !== null && rows.length < PAGE;
    const found = { rows: [...rows], next, searching, error: undefined };
    if (!searching) return found;
    show(found);
    from = next;
  }
}
