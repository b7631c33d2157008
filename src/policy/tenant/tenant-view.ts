import type { QuietTime } from '../quiet/quiet-time.js';
import type { Rule } from '../rules/rule.js';

/**
 * Settings of a tenant for all its servers. A node reads it with every event of a server, possibly a moment late: see
 * `onTenantCopy`.
 */
export interface TenantView {
  /** Number of changes of the window size, of the generic rules and of the quiet times so far. */
  readonly version: number;
  /** The names of the tenant in its tokens, the first one seen first. */
  readonly names: readonly string[];
  readonly window: WindowSize;
  /** The generic rules, oldest first. */
  readonly rules: readonly Rule[];
  /** Oldest first. */
  readonly quiet: readonly QuietTime[];
}

/**
 * The window size of a tenant, with the past changes that its servers need. A server that missed several changes ends
 * with as few values as if it had seen each change.
 */
export interface WindowSize {
  /** Number of values in a window (policy §4, operation 3). */
  readonly size: number;
  /** Number of changes so far. */
  readonly version: number;
  /** `[version, size]` of each change that no later change undercuts, sizes ascending, at most one entry per size. */
  readonly lows: readonly (readonly [version: number, size: number])[];
}

/** Changes the size to `size`. */
export function resized(from: WindowSize, size: number): WindowSize {
  const version = from.version + 1;
  return { size, version, lows: [...from.lows.filter((low) => low[1] < size), [version, size]] };
}

/** Returns the smallest size in force since `version`, including the current size. */
export function smallestSince(current: WindowSize, version: number): number {
  if (version >= current.version) return current.size;
  return current.lows.find((low) => low[0] > version)?.[1] ?? current.size;
}
