import { expect } from 'chai';
import { findServers } from '../../../src/console/views/server-search.js';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import { cpu, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { leastHold } from '../../system/longest-hold.js';
import { createSearch } from '../../../src/console/views/search.js';
import { copyServer } from '../many-servers.js';

const COUNT = 100_000;

describe('the console’s search among 100,000 servers', function () {
  this.timeout(120_000);
  const open = scenes();

  it('finds one, and none, without holding the event loop', async () => {
    const folder = await open.folder();
    const service = await open.service({ DATA_DIR: folder });
    await windowSize(service.api, 1);
    await cpu(service.api, 'first', 1);
    await service.close();
    const names = Array.from({ length: COUNT }, (_, i) => `web-${String(i).padStart(6, '0')}.example.org`);
    await copyServer(folder, 'first', names);
    const store = open.keep(await openLmdb({ folder }), (opened) => opened.close());

    const search = async (query: string): Promise<{ readonly found: number; readonly longestMs: number }> => {
      let found = 0;
      let longestMs = 0;
      for (let after: string | null | undefined; after !== null;) {
        const startedAt = performance.now();
        const asked = { query, tenant: undefined, after, limit: 50 };
        const page = await findServers(store, asked, () => performance.now());
        longestMs = Math.max(longestMs, performance.now() - startedAt);
        found += page.servers.length;
        after = page.next;
      }
      return { found, longestMs };
    };

    expect((await search('web-099999')).found).to.equal(1);
    expect((await search('WEB-0999')).found).to.equal(100);
    const tries = [await search('nothing'), await search('nothing'), await search('nothing')];
    for (const { found } of tries) expect(found).to.equal(0);
    // The budget is 60 ms; a page that begins within it may end after it. A busy machine may hold up one of the tries.
    expect(Math.min(...tries.map(({ longestMs }) => longestMs)), 'longest answer, ms').to.be.below(300);
    expect(await leastHold(() => search('nothing')), 'longest hold of the event loop, ms').to.be.below(20);

    // The search over everything: an id, a beginning of one, a rule that is not there.
    const all = createSearch({ store, ledger: undefined, scoped: false, now: () => performance.now() });
    for (const [text, count] of [
      ['web-099999.example.org', 1],
      ['web-0999', 6],
      ['nothing', 0],
    ] as const) {
      const times: number[] = [];
      for (let i = 0; i < 3; i += 1) {
        const startedAt = performance.now();
        expect((await all(text, undefined)).results).to.have.length(count);
        times.push(performance.now() - startedAt);
      }
      expect(Math.min(...times), `${text}, ms`).to.be.below(400);
    }
    expect(await leastHold(() => all('nothing', undefined)), 'longest hold of the search, ms').to.be.below(
      40,
    );
  });
});
