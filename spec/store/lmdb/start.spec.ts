import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import { creation } from '../documents.js';

const DOCUMENTS = 10_000;
/** Documents in one commit. */
const AT_ONCE = 2_000;
/** What an open store may have of its file in memory, kB: some pages of each table. */
const FEW_KB = 4_096;

/** Returns how much of a file this process has mapped and read, kB. */
async function mapped(file: string): Promise<number> {
  const lines = (await readFile('/proc/self/smaps', 'utf8')).split('\n');
  const at = lines.findIndex((line) => line.endsWith(` ${file}`));
  const resident = lines.slice(at).find((line) => line.startsWith('Rss:'))!;
  return Number(/\d+/.exec(resident)![0]);
}

describe('the start of the embedded store', () => {
  let folder: string;
  before(async function () {
    if (process.platform !== 'linux') this.skip();
    folder = await mkdtemp(join(tmpdir(), 'start-'));
    const store = await openLmdb({ folder });
    const frequent = JSON.stringify('x'.repeat(1_000));
    for (let from = 0; from < DOCUMENTS; from += AT_ONCE) {
      const ids = Array.from({ length: AT_ONCE }, (_, i) => `k/t/${from + i}`);
      const place = { order: '1', tags: 's1' };
      await store.commit(ids.map((id) => creation(id, { frequent, place, wakeAt: 1 })));
    }
    await store.close();
  });
  after(() => folder && rm(folder, { recursive: true }));

  it('reads a few pages of a large file, and has its counts', async () => {
    const store = await openLmdb({ folder });
    const file = join(folder, 'data.mdb');
    expect((await store.tally({ kind: 'k' })).map(({ count }) => count)).to.deep.equal([DOCUMENTS]);
    expect(await store.due(2, 10)).to.have.length(10);
    expect(await store.kinds()).to.deep.equal(['k']);
    expect(await mapped(file)).to.be.below(FEW_KB);
    let listed = 0;
    const reading = await store.readAll();
    for await (const page of reading.pages()) listed += page.length;
    reading.close();
    expect(listed).to.equal(DOCUMENTS);
    expect(await mapped(file), 'the measure').to.be.above(2 * FEW_KB);
    await store.close();
  });
});
