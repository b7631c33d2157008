import type { Kind } from './kinds.js';

/** A setting: one variable of the environment. */
export interface Setting<T = unknown> {
  readonly kind: Kind<T>;
  /** Text used if the variable is not set or empty. */
  readonly default?: string;
  /** Behaviour without a value, if there is no `default`. For docs/settings.md. */
  readonly unset?: string;
  /** Purpose. For docs/settings.md. */
  readonly about: string;
  /** The text never appears in a message. */
  readonly secret?: true;
}
