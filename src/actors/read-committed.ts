import { actorId, type Address, type Store } from '../store/port.js';
import { contextIn } from './behavior.js';
import type { Actors } from './runtime.js';

/** Reads the context of an actor with all that was committed before the call; undefined if it was never committed. */
export type ReadCommitted = <C>(address: Address) => Promise<C | undefined>;

/**
 * Makes the reading of actors that is never stale. `Actors.read` answers from memory: on a shared store it may lack what
 * another node committed a moment ago.
 */
export function readCommitted(
  actors: Pick<Actors, 'peek' | 'read' | 'copyAt'>,
  store: Pick<Store, 'load' | 'shared'>,
): ReadCommitted {
  return async <C>(address: Address) => {
    if (!store.shared) return (actors.peek<C>(address) ?? (await actors.read<C>(address)))?.context;
    const stored = await store.load(actorId(address));
    return stored && ((actors.copyAt(address, stored.revision) ?? contextIn(stored)) as C);
  };
}
