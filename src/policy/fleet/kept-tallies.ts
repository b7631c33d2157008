import { addressOf, type Store, type Tally, type TallyQuery } from '../../store/port.js';
import { lruCache } from '../../system/lru-cache.js';
import { SERVER } from '../server/server-kind.js';

/** What servers count as. `asked`: the tenant of whose servers a list is; undefined: of all. */
export type ServerTally = Omit<TallyQuery, 'kind'> & { readonly asked: string | undefined };

/** Returns what servers count as: see `Store.tally`. */
export type ReadTally = (query: ServerTally) => Promise<readonly Tally[]>;

/** A tally that is read again while somebody asks for it. Times are ms of `performance.now`. */
interface Kept {
  value: readonly Tally[] | undefined;
  readAt: number;
  tookMs: number;
  askedAt: number;
  reading: Promise<readonly Tally[]> | undefined;
}

/** Pause between two readings, ms: at least `least`, and so many times as long as the reading took. */
const PAUSE = { least: 500, times: 4 };
/** Time without a question after which a tally is not read again, ms. */
const UNASKED_MS = 15_000;
/** Tallies that are kept. */
const KEPT = 200;

/**
 * Makes the reading of tallies. A store that is not shared has them at hand. A shared one counts index entries, so that they are
 * read in the background while somebody asks again and again: answers are about a second behind then, and cost nothing.
 */
export function keptTallies(store: Pick<Store, 'shared' | 'tally'>): ReadTally {
  if (!store.shared)
    return ({ tenant, prefix, after, limit }) => store.tally({ kind: SERVER, tenant, prefix, after, limit });
  const all = lruCache<Kept>(KEPT);
  const pauseOf = ({ tookMs }: Kept): number => Math.max(PAUSE.least, PAUSE.times * tookMs);

  const readAll = (tenant: string | undefined): Promise<readonly Tally[]> => {
    const key = tenant ?? '';
    const kept: Kept = all.get(key) ?? {
      value: undefined,
      readAt: 0,
      tookMs: 0,
      askedAt: 0,
      reading: undefined,
    };
    all.set(key, kept);
    const read = async (): Promise<readonly Tally[]> => {
      const begun = performance.now();
      try {
        kept.value = await store.tally({ kind: SERVER, tenant });
        return kept.value;
      } finally {
        kept.readAt = performance.now();
        kept.tookMs = kept.readAt - begun;
        kept.reading = undefined;
        setTimeout(again, pauseOf(kept)).unref();
      }
    };
    const again = (): void => {
      if (performance.now() - kept.askedAt > UNASKED_MS) all.delete(key);
      else if (kept.reading === undefined) {
        kept.reading = read();
        // Who asks next reads again, and gets the error.
        kept.reading.catch(() => (kept.value = undefined));
      }
    };
    kept.askedAt = performance.now();
    const isFresh = kept.askedAt - kept.readAt < pauseOf(kept) + kept.tookMs + PAUSE.least;
    if (kept.value !== undefined && isFresh) return Promise.resolve(kept.value);
    return (kept.reading ??= read());
  };
  return async ({ asked, ...query }) => {
    const { tenant, prefix = '', after = '', limit } = query;
    const isOf = ({ tag, id }: Tally): boolean =>
      tag.startsWith(prefix) && tag > after && (tenant === asked || addressOf(id).tenant === tenant);
    return (await readAll(asked)).filter(isOf).slice(0, limit);
  };
}
