import { copyFile, mkdir, mkdtemp, open as openFile, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { open } from 'lmdb';
import { StartError } from '../../../src/errors.js';
import { checkFile } from '../../../src/store/lmdb/check-file.js';
import { COUNTLESS, STORE_FORMAT } from '../../../src/store/format.js';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import type { Store } from '../../../src/store/port.js';
import { rejectionOf } from '../../rejection.js';
import { cpuTimeOf } from '../../system/cpu-time.js';
import { change, commitOne, creation, loadExisting, removal } from '../documents.js';

const PAGE = 4_096;
/** Long enough for a table of pages of its own. */
const LONG = 20_000;

/** Writes documents with short and long texts, and removes some. */
async function fill(store: Store, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, i) => `k/t/${i}`);
  const texts = (i: number) => ({
    frequent: JSON.stringify({ text: 'h'.repeat(i % 17 === 0 ? LONG : 200) }),
    rare: JSON.stringify({ text: 'c'.repeat(i % 13 === 0 ? LONG : 100) }),
    wakeAt: 1_000 + i,
  });
  await store.commit(names.map((name, i) => creation(name, texts(i))));
  for (const name of names.filter((_, i) => i % 3 === 0))
    await store.commit([removal(name, await loadExisting(store, name))]);
}

const OTHER = String(STORE_FORMAT.lmdb + 1);

describe('the file of the embedded store', () => {
  let root: string;
  let folder: string;
  let file: string;
  let whole: string;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'store-'));
    const store = await openLmdb({ folder: join(root, 'whole') });
    await fill(store, 300);
    await store.close();
    whole = join(root, 'whole', 'data.mdb');
  });
  after(() => rm(root, { recursive: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(root, 'data-'));
    file = join(folder, 'data.mdb');
    await copyFile(whole, file);
  });

  const overwrite = async (at: number, length: number, byte = 0xa5): Promise<void> => {
    const handle = await openFile(file, 'r+');
    await handle.write(Buffer.alloc(length, byte), 0, length, at);
    await handle.close();
  };
  const size = async (): Promise<number> => (await stat(whole)).size;
  /** Returns the number of a page that the newest header names: the root of the main tree. */
  const rootPage = async (): Promise<number> => {
    const bytes = await readFile(whole);
    const txnOf = (meta: number): bigint => bytes.readBigUInt64LE(meta + 152);
    return Number(bytes.readBigUInt64LE((txnOf(0) > txnOf(PAGE) ? 0 : PAGE) + 136));
  };

  const damages: Readonly<Record<string, () => Promise<void>>> = {
    'is empty': () => truncate(file, 0),
    'ends within its first header': () => truncate(file, 100),
    'has its headers alone': () => truncate(file, 2 * PAGE),
    'is cut in half': async () => truncate(file, Math.floor((await size()) / 2)),
    'lacks its last tenth': async () => truncate(file, Math.floor((await size()) * 0.9)),
    'is garbage': async () => overwrite(0, await size()),
    'has garbage at its beginning': () => overwrite(0, PAGE),
    'has a garbage second header': () => overwrite(PAGE, PAGE),
    'has zeros in place of a header': () => overwrite(0, PAGE, 0),
    'has garbage in place of a page': async () => overwrite((await rootPage()) * PAGE, PAGE),
    'has a page with offsets outside': async () => overwrite((await rootPage()) * PAGE + 24, 8, 0xff),
    'has garbage behind its headers': async () => overwrite(2 * PAGE, (await size()) - 2 * PAGE),
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`stops the start if it ${what}, with a sentence that says what to do`, async () => {
      await damage();
      const error = await rejectionOf(openLmdb({ folder }));
      expect(error).to.be.instanceOf(StartError);
      expect(error.message).to.contain(folder).and.to.contain('put back a backup');
    });
  }

  it('stops the start if another version of lmdb wrote it', async () => {
    const handle = await openFile(file, 'r+');
    for (const meta of [0, PAGE]) await handle.write(Buffer.from([1, 0, 0, 0]), 0, 4, meta + 28);
    await handle.close();
    const error = await rejectionOf(openLmdb({ folder }));
    expect(error).to.be.instanceOf(StartError);
    expect(error.message).to.match(
      /has version 1 of lmdb's format.*start the version that wrote it.*DATA_DIR/,
    );
  });

  it('is whole after any commits', async () => {
    const name = fc.nat(30).map((n) => `k/t/${n}`);
    const length = fc.constantFrom(10, 500, 3_000, LONG, 100_000);
    const step = fc.record({ name, length, removes: fc.boolean() });
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 10 }), { maxLength: 10 }), async (commits) => {
        const made = join(folder, String((runs += 1)));
        const store = await openLmdb({ folder: made });
        for (const steps of commits) {
          await Promise.all(
            steps.map(async (one) => {
              const stored = await store.load(one.name);
              const frequent = JSON.stringify('x'.repeat(one.length));
              if (stored === undefined)
                await commitOne(store, creation(one.name, { frequent, rare: frequent }));
              else if (one.removes) await commitOne(store, removal(one.name, stored));
              else await commitOne(store, change(one.name, stored, { frequent }));
            }),
          );
        }
        await store.close();
        expect(checkFile(join(made, 'data.mdb'), 60_000)).to.deep.equal({ is: 'whole' });
      }),
      { numRuns: 20 },
    );
  });

  it('is looked at for a limited time', async () => {
    const check = (): void => void expect(checkFile(whole, 0)).to.deep.equal({ is: 'whole' });
    expect(await cpuTimeOf(check)).to.be.below(1_000);
  });

  describe('has a format', () => {
    const formatIn = async (set?: string): Promise<string | undefined> => {
      const environment = open({ path: folder, noSubdir: false });
      const numbers = environment.openDB<string, string>('numbers', { encoding: 'string' });
      if (set === '') await numbers.remove('format');
      else if (set !== undefined) await numbers.put('format', set);
      const format = numbers.get('format');
      await environment.close();
      return format;
    };

    it('from its first start on', async () => {
      expect(await formatIn()).to.equal(String(STORE_FORMAT.lmdb));
    });

    it('and is of format 1 if it was made before there were formats', async () => {
      expect(await formatIn('')).to.equal(undefined);
      expect((await rejectionOf(openLmdb({ folder }))).message).to.include('is of format 1');
      expect(await formatIn()).to.equal(undefined);
    });

    it('and another one stops the start, with a sentence that says what to do; nothing is written', async () => {
      await formatIn(OTHER);
      const before = await readFile(file);
      const error = await rejectionOf(openLmdb({ folder }));
      expect(error).to.be.instanceOf(StartError);
      expect(error.message).to.equal(
        `The data folder ${folder} is of format ${OTHER}, and this version of Mirzam uses format ${STORE_FORMAT.lmdb}: start the version that wrote ` +
          'it, or choose another with DATA_DIR',
      );
      expect((await readFile(file)).equals(before)).to.equal(true);
    });

    it('and one without counts, or with some of them, is counted and made one of the present format', async () => {
      const tallies = async (store: Store) =>
        (await store.tally({ kind: 'k' })).map(({ tag, count }) => `${count} ${tag}`);
      const store = await openLmdb({ folder });
      const placed = ['1', '1', '2'].map((order) => ({ place: { order, tags: `s${order}\nall` } }));
      await store.commit(placed.map((fields, i) => creation(`k/t/placed ${i}`, fields)));
      const counted = ['3 all', '2 s1', '1 s2'];
      expect(await tallies(store)).to.deep.equal(counted);
      await store.close();
      for (const isEmpty of [true, false]) {
        const environment = open({ path: folder, noSubdir: false });
        if (isEmpty) await environment.openDB<string, string>('counts', { encoding: 'string' }).clearAsync();
        await environment.close();
        await formatIn(COUNTLESS);
        const upgraded = await openLmdb({ folder });
        expect(await tallies(upgraded)).to.deep.equal(counted);
        await upgraded.close();
        expect(await formatIn()).to.equal(String(STORE_FORMAT.lmdb));
      }
    });

    it('and its folder is free again after that', async () => {
      await formatIn(OTHER);
      await rejectionOf(openLmdb({ folder }));
      await formatIn(String(STORE_FORMAT.lmdb));
      await (await openLmdb({ folder })).close();
    });
  });

  it('stops the start, with the reason, if it is a folder', async () => {
    const other = join(folder, 'other-data');
    await mkdir(join(other, 'data.mdb'), { recursive: true, mode: 0o700 });
    const error = await rejectionOf(openLmdb({ folder: other }));
    expect(error).to.be.instanceOf(StartError);
    expect(error.message).to.match(
      /^The data folder \S+other-data has a file that cannot be used: EISDIR.*; see that this user owns it, or choose another folder with DATA_DIR$/,
    );
  });

  it('may be missing: the store begins empty', async () => {
    const other = join(folder, 'other');
    await mkdir(other, { mode: 0o700 });
    await (await openLmdb({ folder: other })).close();
  });
});
