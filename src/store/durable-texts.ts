import { randomBytes } from 'node:crypto';
import { pages } from './paging.js';
import { writePlain } from './plain-document.js';
import { actorId, addressOf, type Store, StoreUnavailable } from './port.js';

const PAGE = 1_000;

/** The kinds of texts. No listing of actors shows them. */
export const TEXT_KINDS = ['secret', 'wallet-account'] as const;

/**
 * Creates short texts by name in the store beside the actors: the member `kind` of documents of a kind without a machine.
 * Each is written once, and is then the same on every node and after every restart.
 */
export function durableTexts(store: Store, kind: (typeof TEXT_KINDS)[number]) {
  const idOf = (name: string): string => actorId({ kind, tenant: 'service', name });

  const get = async (name: string): Promise<string | undefined> => {
    const stored = await store.load(idOf(name));
    return stored && (JSON.parse(stored.frequent) as Record<string, string>)[kind];
  };

  return {
    /** Resolves with a text, or undefined. */
    get,
    /** Writes a text unless the name has one; resolves with the stored one. */
    async add(name: string, text: string): Promise<string> {
      const place = { id: idOf(name), state: 'kept', expected: 0 };
      if ((await writePlain(store, place, { [kind]: text })) !== undefined) return text;
      const theirs = await get(name);
      if (theirs === undefined) throw new StoreUnavailable(`${name} was written and cannot be read`);
      return theirs;
    },
    /** Resolves with all names in ascending order. */
    async names(): Promise<readonly string[]> {
      const names: string[] = [];
      for await (const page of pages((after) => store.outline({ kind, after, limit: PAGE }))) {
        names.push(...page.map(({ id }) => addressOf(id).name));
      }
      return names;
    },
  };
}

/**
 * Resolves with a secret of 32 random bytes. It is made once, and is then the same on every node and after every restart.
 * The store has it beside the actors, under a kind without a machine, which no listing shows.
 */
export async function durableSecret(store: Store, name: string): Promise<Uint8Array> {
  const secrets = durableTexts(store, 'secret');
  const known = await secrets.get(name);
  const text = known ?? (await secrets.add(name, randomBytes(32).toString('base64')));
  return Buffer.from(text, 'base64');
}
