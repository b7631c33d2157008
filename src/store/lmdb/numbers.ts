import { KEPT_TIME, RESERVED, type Tables } from './tables.js';
import type { Reserve } from '../revisions.js';

/** Reserves numbers in an environment that no other process has open. */
export function reserveIn({ numbers }: Pick<Tables, 'numbers'>): Reserve {
  let reserved = reservedIn({ numbers });
  return async (count, above) => {
    const first = Math.max(reserved, above) + 1;
    // Before the write: concurrent calls get other numbers.
    reserved = first + count - 1;
    await numbers.put(RESERVED, String(reserved));
    return first;
  };
}

/** Returns the highest reserved number. */
export function reservedIn({ numbers }: Pick<Tables, 'numbers'>): number {
  return Number(numbers.get(RESERVED) ?? 0);
}

/** Keeps a time, ms since the epoch. */
export async function keepTime({ numbers }: Pick<Tables, 'numbers'>, at: number): Promise<void> {
  await numbers.put(KEPT_TIME, String(at));
}

/** Returns the kept time; undefined if there is none. */
export function keptTime({ numbers }: Pick<Tables, 'numbers'>): number | undefined {
  const at = numbers.get(KEPT_TIME);
  return at === undefined ? undefined : Number(at);
}
