import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { lockFolder } from '../../../src/store/lmdb/folder-lock.js';

describe('the lock of a data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lock-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const attempt = async (): Promise<string> =>
    lockFolder(folder).then(
      () => 'taken',
      (error: unknown) => (error as Error).message,
    );

  it('is held by one process', async () => {
    const lock = await lockFolder(folder);
    expect(await attempt()).to.include(`in use by process ${process.pid}`);
    await lock.release();
  });

  it('leaves nothing behind, also if it was refused', async () => {
    const lock = await lockFolder(folder);
    await attempt();
    await lock.release();
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('can be taken again after its release', async () => {
    await (await lockFolder(folder)).release();
    const again = await lockFolder(folder);
    expect(await attempt()).to.include('in use');
    await again.release();
  });

  it('is never held by two, however many try at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const all = await Promise.allSettled(Array.from({ length: 4 }, () => lockFolder(folder)));
      const held = all.filter((result) => result.status === 'fulfilled');
      expect(held.length).to.be.at.most(1);
      await Promise.all(held.map((result) => result.value.release()));
    }
  });

  it('ignores sockets on which no process listens', async () => {
    await writeFile(join(folder, 'lock-0badcafe.sock'), '');
    const lock = await lockFolder(folder);
    expect(await readdir(folder)).to.have.lengthOf(1);
    await lock.release();
  });

  it('names the remedy if the path is too long for a socket', async () => {
    folder = join(folder, 'x'.repeat(120));
    expect(await attempt()).to.match(/is too long: \d+ bytes are allowed$/);
    folder = join(folder, '..');
  });
});
