import { Refusal } from '../errors.js';

/** Makes a decision for a machine's `assign`: a refusal that it throws changes nothing and becomes the reply. */
export function deciding<T extends object>(decide: () => T): T | { reply: Refusal } {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return { reply: error };
    throw error;
  }
}
