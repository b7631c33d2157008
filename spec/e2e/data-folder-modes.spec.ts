import { expect } from 'chai';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scenes } from './scene.js';

/** Returns the mode of everything in a folder; `.` is the folder itself. The node of the chain renames files meanwhile. */
async function modesIn(folder: string): Promise<Record<string, string>> {
  const modes: Record<string, string> = {};
  for (const name of ['.', ...(await readdir(folder, { recursive: true }))]) {
    const found = await stat(join(folder, name)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    if (found !== undefined) modes[name] = (found.mode & 0o777).toString(8);
  }
  return modes;
}

/** Returns the entries that other users can access, or that are no folder or file. */
async function openIn(folder: string): Promise<Record<string, string>> {
  const modes = Object.entries(await modesIn(folder));
  return Object.fromEntries(modes.filter(([, mode]) => mode !== '700' && mode !== '600'));
}

describe('the data folder', () => {
  const open = scenes();
  let umask: number;

  before(() => {
    umask = process.umask(0o022);
  });
  after(() => process.umask(umask));

  it('is accessible to its user only, with everything in it', async () => {
    const DATA_DIR = join(await open.folder(), 'data');
    const first = await open.service({ DATA_DIR, LEDGER: 'on' });
    expect(await openIn(DATA_DIR)).to.deep.equal({});
    const names = Object.keys(await modesIn(DATA_DIR));
    expect(names).to.include.members([
      '.',
      'chain',
      'data.mdb',
      'lock.mdb',
      'chain/state.json',
      'chain/node.pid',
    ]);
    expect(names.filter((name) => name.endsWith('.sock'))).to.have.length(1);
    await first.close();
    expect(await openIn(DATA_DIR)).to.deep.equal({});
  });

  it('is closed to others if it was open before, with everything in it', async () => {
    const DATA_DIR = await open.folder();
    await (await open.service({ DATA_DIR, LEDGER: 'on' })).close();
    await writeFile(join(DATA_DIR, 'chain', 'state.previous.json'), '{}');
    for (const name of Object.keys(await modesIn(DATA_DIR))) {
      const path = join(DATA_DIR, name);
      await chmod(path, (await stat(path)).isDirectory() ? 0o755 : 0o644);
    }
    expect(Object.keys(await openIn(DATA_DIR))).to.include.members(['.', 'data.mdb', 'chain/state.json']);
    await open.service({ DATA_DIR, LEDGER: 'on' });
    expect(await openIn(DATA_DIR)).to.deep.equal({});
  });

  it('is refused, and keeps its mode, if it is open to others and holds other files', async () => {
    const DATA_DIR = join(await open.folder(), 'shared');
    await mkdir(DATA_DIR);
    await chmod(DATA_DIR, 0o1777);
    await writeFile(join(DATA_DIR, 'of-somebody'), '');
    const failure = await open.service({ DATA_DIR }).then(
      () => 'started',
      (error: unknown) => (error as Error).message,
    );
    expect(failure).to.match(/^The data folder .* is open to other users and holds other files: .*DATA_DIR$/);
    expect((await stat(DATA_DIR)).mode & 0o1777).to.equal(0o1777);
  });
});
