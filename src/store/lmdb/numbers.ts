import { RESERVED } from './tables.js';
import type { Tables } from './tables.js';
import type { Reserve } from '../revisions.js';

/** Reserves numbers in an environment that no other process has open. */
export function reserveIn({ numbers }: Pick<Tables, 'numbers'>): Reserve {
  let reserved = Number(numbers.get(RESERVED) ?? 0);
  return async (count, above) => {
    const first = Math.max(reserved, above) + 1;
    // Before the write: concurrent calls get other numbers.
    reserved = first + count - 1;
    await numbers.put(RESERVED, String(reserved));
    return first;
  };
}
