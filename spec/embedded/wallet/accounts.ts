import type { Accounts } from '../../../src/embedded/wallet/wallet.js';

/** Accounts of the embedded wallet in memory. `kept` shows the records. */
export function accountsInMemory(): Accounts & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: async (name) => kept.get(name),
    async add(name, text) {
      const before = kept.get(name);
      if (before === undefined) kept.set(name, text);
      return before ?? text;
    },
    names: async () => [...kept.keys()].toSorted(),
  };
}
