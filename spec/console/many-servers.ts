import { expect } from 'chai';
import { openLmdb } from '../../src/store/lmdb/lmdb.js';
import type { ServerContext } from '../../src/policy/server/server-context.js';
import { placeOf } from '../../src/policy/server/server-place.js';
import { actorId, addressOf, type Commit, type Store } from '../../src/store/port.js';

/** Documents in one commit. */
const AT_ONCE = 2_000;

/**
 * Copies the documents of servers in the data folder of a stopped service: `names` returns the servers that get a copy
 * of the server `of`.
 */
export async function copyServer(folder: string, of: string, names: readonly string[]): Promise<void> {
  const store = await openLmdb({ folder });
  try {
    const { items } = await store.outline({ kind: 'server', limit: 1_000 });
    const id = items.find((item) => addressOf(item.id).name === of)!.id;
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const copies = await copiesOf(store, id, names.slice(from, from + AT_ONCE));
      expect(new Set(await store.commit(copies))).to.deep.equal(new Set(['won']));
    }
  } finally {
    await store.close();
  }
}

async function copiesOf(store: Store, id: string, names: readonly string[]): Promise<readonly Commit[]> {
  const { version, state, frequent, rare } = (await store.load(id))!;
  const address = addressOf(id);
  const own = JSON.stringify(address.name);
  const place = placeOf({ ...JSON.parse(rare), ...JSON.parse(frequent) } as ServerContext);
  return Promise.all(
    names.map(async (name) => ({
      id: actorId({ ...address, name }),
      expected: 0,
      revision: await store.nextRevision(0),
      commitId: `copy-${name}`,
      next: {
        version,
        state,
        wakeAt: undefined,
        place,
        frequent,
        rare: rare.replace(own, JSON.stringify(name)),
      },
      previous: undefined,
    })),
  );
}
