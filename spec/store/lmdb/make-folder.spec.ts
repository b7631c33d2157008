import { expect } from 'chai';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../../src/store/lmdb/make-folder.js';

describe('the creation of a data folder', () => {
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

  it('creates missing folders above it too, for this user alone, and uses existing ones', async () => {
    const folder = join(root, 'a', 'b', 'c');
    await makeFolder(folder);
    await makeFolder(folder);
    const { mode } = await stat(folder);
    expect(mode & 0o777).to.equal(0o700);
  });

  for (const [what, names] of [
    ['empty', []],
    ['a data folder', ['data.mdb', 'lock.mdb', 'notes.txt']],
    ['a new volume', ['lost+found']],
  ] as const) {
    it(`makes an existing one private: ${what}`, async () => {
      await chmod(root, 0o755);
      for (const name of names) await writeFile(join(root, name), '');
      expect(await faultOf(root)).to.equal('made');
      expect((await stat(root)).mode & 0o777).to.equal(0o700);
    });
  }

  it('refuses an open folder that holds other files, and leaves its permissions', async () => {
    await chmod(root, 0o1777);
    await writeFile(join(root, 'of-somebody'), '');
    expect(await faultOf(root)).to.equal(
      `The data folder ${root} is open to other users and holds other files: close it (chmod 700) if nobody else needs it; ` +
        'or choose another with DATA_DIR',
    );
    expect((await stat(root)).mode & 0o1777).to.equal(0o1777);
    expect(await faultOf(join(root, 'data'))).to.equal('made');
    await chmod(root, 0o700);
    expect(await faultOf(root)).to.equal('made');
  });

  it('says that this user may not use an existing one that cannot be read', async function () {
    if (process.getuid?.() !== 0) {
      console.log('      skipped: only root can become another user');
      return this.skip();
    }
    await chmod(root, 0o711);
    process.seteuid?.(65_534);
    const fault = await faultOf(root).finally(() => process.seteuid?.(0));
    expect(fault).to.contain(
      'EACCES, this user may not use it, or not write to the folder above it: change the owner;',
    );
  });

  it('names the user who must own a folder of another user', async function () {
    if (process.getuid?.() !== 0) {
      console.log('      skipped: only root can become another user');
      return this.skip();
    }
    await chmod(root, 0o755);
    const before = process.geteuid?.() ?? 0;
    // The effective user of this process, for the duration of one call.
    process.seteuid?.(65_534);
    const fault = await faultOf(root).finally(() => process.seteuid?.(before));
    expect(fault).to.equal(
      `The data folder ${root} is open to others and belongs to another user (EPERM): make it this user's (chown 65534 ${root}); ` +
        'or choose another with DATA_DIR',
    );
  });

  it('refuses a file in its place, naming the folder', async () => {
    const file = join(root, 'file');
    await writeFile(file, '');
    expect(await faultOf(file)).to.equal(
      `The data folder ${file} cannot be made: EEXIST, a file is in its place: remove it; or choose another with DATA_DIR`,
    );
    expect(await faultOf(join(file, 'below'))).to.contain(
      'ENOTDIR, a folder above it is a file: remove that;',
    );
  });

  it('gives up at once if the file system allows no folders', async function () {
    if (process.platform !== 'linux') this.skip();
    expect(await faultOf('/proc/mirzam')).to.match(/The data folder \/proc\/mirzam cannot be made: E/);
    expect(await faultOf('/proc/mirzam/data')).to.match(/cannot be made: E/);
  });
});
