/**
 * A tenant's window size with what its servers need to catch up: a server that saw nothing of several changes must
 * end with as few values as if it had seen each.
 */
export interface WindowSize {
  /** How many values a window holds (policy §4, operation 3). */
  readonly size: number;
  /** Number of changes so far. */
  readonly version: number;
  /** `[version, size]` of the changes that no later change is smaller than, sizes ascending: at most one per size. */
  readonly lows: readonly (readonly [version: number, size: number])[];
}

/** The size as changed to `size`. */
export function resized(from: WindowSize, size: number): WindowSize {
  const version = from.version + 1;
  return { size, version, lows: [...from.lows.filter((low) => low[1] < size), [version, size]] };
}

/** The smallest size in force since `version`, that of today included. */
export function smallestSince(current: WindowSize, version: number): number {
  if (version >= current.version) return current.size;
  return current.lows.find((low) => low[0] > version)?.[1] ?? current.size;
}
