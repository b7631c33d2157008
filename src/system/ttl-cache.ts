import { lruCache } from './lru-cache.js';

/** Cached values by key. */
export type TtlCache<V> = ReturnType<typeof ttlCache<V>>;

/** How long values are cached. */
interface Lifetime<V> {
  /** How long a value is valid, counted from the start of its load, ms. */
  readonly ttlMs: number;
  /** End of a value's own lifetime, ms since the epoch. The earlier of the two ends counts. */
  readonly expiresAt?: (value: V) => number;
  /** ms since the epoch. */
  readonly now: () => number;
}

interface Entry<V> {
  readonly value: V;
  /** Start of its load, ms since the epoch. */
  readonly loadedAt: number;
  readonly expiresAt: number;
}

/**
 * Creates a cache of at most `max` values. It drops the least recently used first. The package's own lifetimes are not used:
 * they do not end when the clock is set back.
 */
export function ttlCache<V>(options: Lifetime<V> & { readonly max: number }) {
  const { ttlMs, max, expiresAt = () => Infinity, now } = options;
  const entries = lruCache<Entry<V>>(max);
  const loads = new Map<string, Promise<V>>();

  const start = async (key: string, load: () => Promise<V>): Promise<V> => {
    const loadedAt = now();
    const loading = load();
    loads.set(key, loading);
    try {
      const value = await loading;
      const entry = { value, loadedAt, expiresAt: Math.min(loadedAt + ttlMs, expiresAt(value)) };
      // A load that `delete` dropped leaves the cache as it is.
      if (loads.get(key) === loading && entry.expiresAt > now()) entries.set(key, entry);
      return value;
    } finally {
      if (loads.get(key) === loading) loads.delete(key);
    }
  };

  return {
    /**
     * Returns the value under `key`. Calls `load` if the value is absent or expired; concurrent callers share one load.
     * Rejects with the error of `load`, which is not cached.
     */
    async get(key: string, load: () => Promise<V>): Promise<V> {
      const entry = entries.get(key);
      const at = now();
      // Before its load: the clock was set back.
      if (entry !== undefined && at < entry.expiresAt && at >= entry.loadedAt) return entry.value;
      entries.delete(key);
      return loads.get(key) ?? start(key, load);
    },
    /** Drops the value under `key` and the load in flight. With `value`: drops that value only. */
    delete(key: string, value?: V): void {
      if (value !== undefined && entries.peek(key)?.value !== value) return;
      entries.delete(key);
      loads.delete(key);
    },
  };
}

/** Creates a cache of one value, which `load` gets. */
export function cachedValue<V>(options: Lifetime<V> & { readonly load: () => Promise<V> }) {
  const cache = ttlCache<V>({ ...options, max: 1 });
  return {
    /** As `TtlCache.get`. */
    get: (): Promise<V> => cache.get('', options.load),
    /** As `TtlCache.delete`. */
    delete: (value?: V): void => cache.delete('', value),
  };
}

/** Shares one run between all callers of a key that come before it ends. Its outcome is not cached. */
export type SingleFlight<V> = (key: string, run: () => Promise<V>) => Promise<V>;

/** Creates a single flight. */
export function singleFlight<V>(): SingleFlight<V> {
  const runs = new Map<string, Promise<V>>();
  return (key, run) => {
    const running = runs.get(key) ?? run().finally(() => runs.delete(key));
    runs.set(key, running);
    return running;
  };
}
