import type { Actors } from '../../actors/runtime.js';
import { batcher } from '../../system/batcher.js';
import { registerAddress } from '../addresses.js';
import { addOnce, type Lists, registerList } from './lists.js';
import type { Addition, Unchecked } from './paged-list.js';
import type { RegisterEvent, UncheckedAdditions } from './register-machine.js';

export interface RegistersOptions {
  readonly lists: Pick<Lists, 'find'>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Adds entities to registers. */
export interface Registers {
  /**
   * Adds an entity to a register, once; resolves when that is durable. `from`: the count of the register from before the
   * entity was first added.
   */
  add(actors: Actors, register: string, entityId: string, from: number): Promise<unknown>;
}

/** Most additions in one event. */
const MAX_ADDITIONS = 500;

/**
 * Returns the registers of a node. Additions that come in the same turn of the event loop are one event: each change of a
 * register copies its newest entities.
 */
export function createRegisters({ lists, now }: RegistersOptions): Registers {
  const batch = batcher<{ readonly actors: Actors; readonly addition: Addition }, UncheckedAdditions>({
    // Not later: a caller that has its receipt must find the entity in the register.
    schedule: queueMicrotask,
    maxSize: MAX_ADDITIONS,
    process(register, items) {
      const additions = items.map(({ addition }) => addition);
      const event: RegisterEvent = { type: 'add', now: now(), additions };
      return items[0]!.actors.ask(registerAddress(register), event);
    },
  });

  return {
    add(actors, register, entityId, from) {
      const list = registerList(register);
      const add = async (checked: number): Promise<Unchecked | undefined> => {
        const { index, result } = batch(register, { actors, addition: { item: entityId, from, checked } });
        return (await result)?.[index];
      };
      return addOnce(lists, actors, { list, item: entityId, from, add, found: async () => undefined });
    },
  };
}
