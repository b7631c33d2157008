import type { Kind } from './kinds.js';

/** One variable of the environment. */
export interface Setting<T = unknown> {
  readonly kind: Kind<T>;
  /** The text that holds when the variable is not set or empty. */
  readonly default?: string;
  /** Where there is no `default`: what holds then. For docs/settings.md. */
  readonly unset?: string;
  /** What it does. For docs/settings.md. */
  readonly about: string;
  /** Its text never appears in a message. */
  readonly secret?: true;
}
