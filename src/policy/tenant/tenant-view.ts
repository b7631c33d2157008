import type { QuietTime } from '../quiet/quiet-time.js';
import type { Rule } from '../rules/rule.js';
import type { WindowSize } from '../windows/window.js';

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
