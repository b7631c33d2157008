import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import { killedRevisionFeatures } from '../revisions.features.js';
import { expectAllFound, merge, startWriter } from '../writer.js';

describe('the embedded store whose process is killed', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  killedRevisionFeatures(() => ({ folder }), 1);

  it('can be opened at once and has every commit that was acknowledged, kill after kill', async () => {
    let acknowledged: ReadonlyMap<string, number> = new Map();
    for (let round = 0; round < 5; round += 1) {
      const writer = startWriter({ folder });
      await writer.more(200 + 100 * round);
      await writer.kill();
      expect(writer.lines.filter((line) => line.endsWith('lost'))).to.deep.equal([]);
      acknowledged = merge(acknowledged, writer.acknowledged);
      const store = await openLmdb({ folder });
      await expectAllFound(store, acknowledged);
      await store.close();
    }
  });

  it('is refused to a second process while the first lives, with the first one’s id', async () => {
    const writer = startWriter({ folder });
    await writer.more(1);
    const refusal = await openLmdb({ folder }).then(
      () => 'it was opened',
      (error: unknown) => (error as Error).message,
    );
    expect(refusal).to.match(
      /^The data folder \S+ is in use by process \d+: stop it, or choose another folder with DATA_DIR$/,
    );
    await writer.more(50);
    expect(await writer.end()).to.equal(0);
    const store = await openLmdb({ folder });
    await expectAllFound(store, writer.acknowledged);
    await store.close();
  });
});
