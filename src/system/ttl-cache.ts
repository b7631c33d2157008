/** Cached values by key. */
export interface TtlCache<V> {
  /**
   * Returns the value under `key`. Calls `load` if the value is absent or expired; concurrent callers share one load.
   * Rejects with the error of `load`, which is not cached.
   */
  get(key: string, load: () => Promise<V>): Promise<V>;
  /** Drops the value under `key` and the load in flight. With `value`: drops that value only. */
  delete(key: string, value?: V): void;
}

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

/** Creates a cache of at most `max` values. It drops the least recently used first. */
export function ttlCache<V>(options: Lifetime<V> & { readonly max: number }): TtlCache<V> {
  const { ttlMs, max, expiresAt = () => Infinity, now } = options;
  // A Map iterates in insertion order. Reinserted on each use, its first entry is the least recently used.
  const entries = new Map<string, Entry<V>>();
  const loads = new Map<string, Promise<V>>();

  const add = (key: string, entry: Entry<V>): void => {
    if (entry.expiresAt <= now()) return;
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > max && oldest !== undefined) entries.delete(oldest);
  };

  const start = (key: string, load: () => Promise<V>): Promise<V> => {
    const startedAt = now();
    const loading: Promise<V> = load().then(
      (value) => {
        // A load that `delete` dropped leaves the cache as it is.
        if (loads.get(key) !== loading) return value;
        loads.delete(key);
        add(key, { value, loadedAt: startedAt, expiresAt: Math.min(startedAt + ttlMs, expiresAt(value)) });
        return value;
      },
      (error: unknown) => {
        if (loads.get(key) === loading) loads.delete(key);
        throw error;
      },
    );
    loads.set(key, loading);
    return loading;
  };

  return {
    get(key, load) {
      const entry = entries.get(key);
      if (entry === undefined) return loads.get(key) ?? start(key, load);
      entries.delete(key);
      const at = now();
      // Before its load: the clock was set back.
      if (at >= entry.expiresAt || at < entry.loadedAt) return loads.get(key) ?? start(key, load);
      entries.set(key, entry);
      return Promise.resolve(entry.value);
    },
    delete(key, value) {
      if (value !== undefined && entries.get(key)?.value !== value) return;
      entries.delete(key);
      loads.delete(key);
    },
  };
}

/** One cached value. */
export interface CachedValue<V> {
  /** As `TtlCache.get`. */
  get(): Promise<V>;
  /** As `TtlCache.delete`. */
  delete(value?: V): void;
}

/** Creates a cache of one value, which `load` gets. */
export function cachedValue<V>(options: Lifetime<V> & { readonly load: () => Promise<V> }): CachedValue<V> {
  const cache = ttlCache<V>({ ...options, max: 1 });
  return {
    get: () => cache.get('', options.load),
    delete: (value) => cache.delete('', value),
  };
}

/** Shares one run between all callers of a key that come before it ends. Its outcome is not cached. */
export type SingleFlight<V> = (key: string, run: () => Promise<V>) => Promise<V>;

/** Creates a single flight. */
export function singleFlight<V>(): SingleFlight<V> {
  const cache = ttlCache<V>({ ttlMs: 0, max: 0, now: () => 0 });
  return (key, run) => cache.get(key, run);
}
