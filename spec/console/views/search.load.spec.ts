import { expect } from 'chai';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import { cpu, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { leastHold } from '../../system/longest-hold.js';
import { createSearch } from '../../../src/console/views/search.js';
import { copyServer } from '../many-servers.js';

const COUNT = 100_000;

describe('the console’s search among 100,000 servers', () => {
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

    // An id, a beginning of one, a rule that is not there.
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
