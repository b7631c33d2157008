import type { Actors } from '../../actors/runtime.js';
import { registerAddress } from '../addresses.js';
import { batcher } from '../../system/batcher.js';
import { registerList } from './lists.js';
import type { Lists } from './lists.js';
import type { Addition, Unchecked } from './paged-list.js';
import type { RegisterEvent, UncheckedAdditions } from './register-machine.js';

export interface RegisteringOptions {
  readonly actors: () => Actors;
  readonly lists: Pick<Lists, 'find'>;
  readonly now: () => number;
}

/** Puts an entity into a register, once; `from`: how many that had before the entity was first put into it. */
export type Register = (name: string, entityId: string, from: number) => Promise<void>;

/** Most that are added together. */
const MOST = 500;

/**
 * Makes it for a node: those that come with the same commits are told together, since each change of a register copies its
 * newest entities.
 */
export function registering({ actors, lists, now }: RegisteringOptions): Register {
  const batch = batcher<Addition, UncheckedAdditions>({
    // No later: whoever is told of a receipt next must come behind this where it reads the register.
    schedule: queueMicrotask,
    maxSize: MOST,
    process(name, additions) {
      const event: RegisterEvent = { type: 'add', now: now(), additions };
      return actors().ask(registerAddress(name), event);
    },
  });

  const add = async (name: string, addition: Addition): Promise<Unchecked | undefined> => {
    const { index, result } = batch(name, addition);
    return (await result)?.[index];
  };

  return async (name, entityId, from) => {
    const list = registerList(name);
    for (let checked = from; ;) {
      const unchecked = await add(name, { item: entityId, from, checked });
      if (unchecked === undefined) return;
      if ((await lists.find(list, entityId, checked, unchecked.below)) !== undefined) return;
      checked = unchecked.below;
    }
  };
}
