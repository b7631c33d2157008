import { createServerRemains, type ServerRemains } from '../../src/policy/deletion/server-remains.js';
import type { Store } from '../../src/store/port.js';

/** Makes the deletion of what other actors have of a deleted server. */
export function remainsIn(store: Store, now: () => number): ServerRemains {
  return createServerRemains({ store, onDeadLetterEnded: () => {}, forgetReceiver: () => {}, now });
}
