/** Values that were asked for a moment ago. */
export interface Kept<V> {
  /** The value under `key`; made where there is none, or it is too old. Callers at the same time share the making. */
  get(key: string, make: () => Promise<V>): Promise<V>;
  /** Has the value asked for again. */
  forget(key: string): void;
}

interface Entry<V> {
  readonly value: Promise<V>;
  /** ms since the epoch. */
  readonly until: number;
}

/**
 * Keeps values for `ttlMs`, counted from when they were asked for, and `max` of them at most: the oldest go first.
 * Failures are not kept. `now` is in ms since the epoch.
 */
export function kept<V>(options: {
  readonly ttlMs: number;
  readonly max: number;
  readonly now: () => number;
}): Kept<V> {
  const { ttlMs, max, now } = options;
  // A Map iterates in order of insertion: its first entry is the oldest.
  const entries = new Map<string, Entry<V>>();

  function make(key: string, making: () => Promise<V>): Promise<V> {
    const entry = { value: making(), until: now() + ttlMs };
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > max && oldest !== undefined) entries.delete(oldest);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.value;
  }

  return {
    get(key, making) {
      const entry = entries.get(key);
      return entry !== undefined && now() < entry.until ? entry.value : make(key, making);
    },
    forget: (key) => void entries.delete(key),
  };
}
