import { LRUCache } from 'lru-cache';

/**
 * Creates a map of at most `max` entries, which drops the least recently used first. Its memory grows with its entries: the
 * option `max` of the package takes that of all entries at once. `get` and `set` use an entry, and `has` does not.
 */
export function lruCache<V extends {}, K extends {} = string>(max: number): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: max, sizeCalculation: one });
}

const one = (): number => 1;
