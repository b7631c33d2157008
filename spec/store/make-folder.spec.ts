import { expect } from 'chai';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../src/store/make-folder.js';

describe('the making of a data folder', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'mirzam-folder-'));
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  const faultOf = (folder: string): Promise<string> =>
    makeFolder(folder).then(
      () => 'made',
      (error: unknown) => (error as Error).message,
    );

  it('makes what is missing above it too, for this user alone, and takes what is there', async () => {
    const folder = join(root, 'a', 'b', 'c');
    await makeFolder(folder);
    await makeFolder(folder);
    const { mode } = await stat(folder);
    expect(mode & 0o777).to.equal(0o700);
  });

  it('refuses a file in its place, naming the folder', async () => {
    const file = join(root, 'file');
    await writeFile(file, '');
    expect(await faultOf(file)).to.contain(`The data folder ${file} cannot be made: EEXIST`);
    expect(await faultOf(join(file, 'below'))).to.contain('ENOTDIR');
  });

  it('gives up at once where a file system takes no folders', async function () {
    if (process.platform !== 'linux') this.skip();
    expect(await faultOf('/proc/mirzam')).to.match(/The data folder \/proc\/mirzam cannot be made: E/);
    expect(await faultOf('/proc/mirzam/data')).to.match(/cannot be made: E/);
  });
});
