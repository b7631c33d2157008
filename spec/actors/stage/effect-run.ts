import type { EffectRun } from '../../../src/actors/kind.js';
import type { Address } from '../../../src/store/port.js';

/** Returns a first run of an effect, at revision 1; it has no other actors unless they are given. */
export function effectRun(address: Address, more: Partial<EffectRun> = {}): EffectRun {
  return { address, actors: undefined as never, repeated: false, revision: 1, ...more };
}
