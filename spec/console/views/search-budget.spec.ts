import { expect } from 'chai';
import { createSearch } from '../../../src/console/views/search.js';
import { memoryStore } from '../../actors/stage/memory-store.js';

describe('a search for a part of an id that takes longer than its budget', () => {
  const store = memoryStore();
  before(() => {
    for (let i = 0; i < 2_500; i += 1)
      store.documents.set(`server/t/s-${String(i).padStart(4, '0')}`, {
        revision: 1,
        version: 1,
        state: 'unwatched',
        wakeAt: undefined,
        frequent: '{}',
        rare: '{"rules":[]}',
        commitId: String(i),
      });
  });

  /** Searches for servers. From its reading number `slow` on, the clock says that the budget is used up. */
  async function searched(text: string, slow = Infinity) {
    let readings = 0;
    const now = (): number => ((readings += 1) < slow ? 0 : 1_000_000);
    const search = createSearch({ store, ledger: undefined, scoped: false, now });
    const { results, complete } = await search(text, undefined);
    return [results.map((one) => one.kind === 'server' && one.serverId), complete];
  }

  it('ends with what it has found, and says that there may be more', async () => {
    expect(await searched('999')).to.deep.equal([['s-0999', 's-1999'], true]);
    expect(await searched('999', 4)).to.deep.equal([['s-0999'], false]);
    expect(await searched('1999', 4)).to.deep.equal([[], false]);
  });

  it('is complete if it shows all, and not if there is one more', async () => {
    expect(await searched('S-249')).to.deep.equal([
      ['s-2490', 's-2491', 's-2492', 's-2493', 's-2494', 's-2495'],
      false,
    ]);
    expect(await searched('499')).to.deep.equal([['s-0499', 's-1499', 's-2499'], true]);
  });
});
