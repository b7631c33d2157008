import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { runCommandLine } from '../../../src/command/command-line.js';
import { fingerprintsOf } from '../../../src/config/carried.js';
import { loadConfig } from '../../../src/config/config.js';
import { exportedLines } from '../../../src/operator/export.js';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import type { Listed, Store } from '../../../src/store/port.js';
import { RANGE } from '../../../src/store/revisions.js';
import { openStore } from '../../../src/store/select.js';
import { scenes } from '../../e2e/scene.js';
import { create, creation } from '../../store/documents.js';
import { writtenFiles } from '../../written-files.js';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const VERSION = '0.1.0';
/** How the output begins a line of a terminal again. */
const CLEARED = '\r\u001B[K';

/** A place for one store, empty at first. */
export interface Target {
  /** The settings that name it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Resolves with the names of all that is there: files of a folder, collections of a database. */
  names(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

/** The behaviour of `mirzam import` with every store. */
export function importFeatures(makeTarget: () => Promise<Target>): void {
  const open = scenes();
  const written = writtenFiles();
  let target: Target;
  beforeEach(async () => {
    target = await makeTarget();
  });
  afterEach(() => target.remove());

  async function run(
    file: string,
    {
      args = [],
      more = {},
      isTTY = false,
      stdin = Readable.from([]),
    }: {
      readonly args?: readonly string[];
      readonly more?: Readonly<Record<string, string>>;
      readonly isTTY?: boolean;
      readonly stdin?: Readable;
    } = {},
  ) {
    let [out, err] = ['', ''];
    const streams = {
      stdin,
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text), isTTY },
    };
    const options = { streams, version: VERSION, environment: () => ({ ...target.settings, ...more }) };
    return { code: await runCommandLine(['import', file, ...args], options), out, err };
  }

  function opened(): Promise<Store> {
    const { DATA_DIR: folder = '', MONGODB_URL: mongodbUrl } = target.settings;
    return openStore({ folder, mongodbUrl });
  }

  /** Writes the export of a store that `fill` fills. Resolves with the file and its lines. */
  async function exportOf(
    fill: (store: Store) => Promise<unknown>,
    more: Readonly<Record<string, string>> = {},
  ) {
    const store = await openLmdb({ folder: written.pathOf('source') });
    await fill(store);
    const config = loadConfig(more);
    let text = '';
    const options = { store, version: VERSION, fingerprints: () => fingerprintsOf(config), now: Date.now };
    for await (const piece of exportedLines(options)) text += piece;
    await store.close();
    return { file: await written.file('export.ndjson', text), lines: text.trimEnd().split('\n') };
  }

  const some = (store: Store) => store.commit([1, 2, 3, 4].map((n) => creation(`k/t/${n}`)));

  async function allIn(
    store: Store,
  ): Promise<{ readonly all: readonly Listed[]; readonly keptTime: number | undefined }> {
    const reading = await store.readAll();
    const all: Listed[] = [];
    for await (const page of reading.pages()) all.push(...page);
    reading.close();
    return { all, keptTime: reading.keptTime };
  }

  /** Fails unless nothing is in the store. It is one afterwards. */
  async function expectEmpty(): Promise<void> {
    expect((await target.names()).filter((name) => !name.startsWith('lock'))).to.deep.equal([]);
    const store = await opened();
    expect((await allIn(store)).all).to.deep.equal([]);
    await store.close();
  }

  it('fills an empty store with each document as it was, and finds it by all that it was found by', async () => {
    let source: unknown;
    const view = async (store: Store): Promise<unknown> => ({
      ...(await allIn(store)),
      due: await store.due(100, 10),
      queues: await store.queues(undefined, 10),
      queued: await store.queued('q', 0, 10),
      tally: await store.tally({ kind: 'k' }),
      ordered: await store.ordered({ kind: 'k', from: '!', to: '~', limit: 10 }),
      busy: await store.outline({ kind: 'k', state: 'busy', limit: 10 }),
    });
    let highest = 0;
    const { file } = await exportOf(async (store) => {
      const place = { order: '1', tags: 's1\nrx' };
      await create(store, 'k/t/placed', { place, rare: '{"a":"ü\\u2028\u2028"}', wakeAt: 7, state: 'busy' });
      await create(store, 'k/t/queued', { queue: 'q', wakeAt: 9, place: { order: undefined, tags: 's2' } });
      await create(store, 'a/t/long', { frequent: JSON.stringify('ä'.repeat(40_000)), unindexed: true });
      await store.commit(
        Array.from({ length: 2_100 }, (_, i) => creation(`m/t/${10_000 + i}`, {}, (70_000 + i) * RANGE)),
      );
      await store.keepTime(1_234);
      source = await view(store);
      highest = await store.nextRevision(0);
    });
    const { code, out, err } = await run(file);
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.match(/^\S+export\.ndjson: 2103 documents are imported into /);
    const store = await opened();
    expect(await view(store)).to.deep.equal(source);
    expect(await store.nextRevision(0)).to.be.above(Math.max(highest, 72_099 * RANGE));
    await store.close();
  });

  it('refuses a file that is not a complete export, names the line, and imports nothing of it', async () => {
    const { lines } = await exportOf(some);
    const header = JSON.parse(lines[0]!) as object;
    const document = JSON.parse(lines[2]!) as object;
    const at = (index: number, line: unknown): string =>
      lines.with(index, typeof line === 'string' ? line : JSON.stringify(line)).join('\n');
    const cases: readonly (readonly [content: string, words: RegExp])[] = [
      ['', /: it is empty\. Nothing is imported\.$/m],
      ['{"a":1}\n', /line 1 is not the header/],
      [at(0, { ...header, format: 2 }), /it has format 2, and this version of Mirzam reads format 1/],
      [at(0, { ...header, version: '0.2.0' }), /version 0\.2\.0 of Mirzam wrote it, and this is 0\.1\.0/],
      [lines.slice(0, -1).join('\n'), /its last line \{"end": …\} is missing, after 4 documents/],
      [lines.join('\n').slice(0, -60), /line 5 is not a JSON object/],
      [lines.toSpliced(2, 1).join('\n'), /line 5 says that 4 documents come before it, and there are 3/],
      [`${lines.join('\n')}\n${lines[1]}`, /line 7 follows the last line/],
      [at(2, lines[1]), /line 3 has the id of a line before it/],
      [at(2, '{"id"'), /line 3 is not a JSON object/],
      [at(2, { ...document, id: 'k' }), /line 3: id must be/],
      [
        at(2, { ...document, id: `k/t/${'x'.repeat(1_000)}` }),
        /line 3: id "k\/t\/x+" is longer than 1000 bytes/,
      ],
      [at(2, { ...document, revision: -1 }), /line 3: revision must be/],
      [at(2, { ...document, wakeAt: 'soon' }), /line 3: wakeAt must be/],
      [at(2, { ...document, place: { order: 1 } }), /line 3: place must be/],
      [at(2, { ...document, frequent: '{' }), /line 3: frequent must be a JSON text/],
      [at(2, { ...document, rare: undefined }), /line 3: rare must be a JSON text/],
    ];
    const file = written.pathOf('bad.ndjson');
    for (const [content, words] of cases) {
      await writeFile(file, content);
      const { code, out, err } = await run(file);
      expect([code, out], err).to.deep.equal([2, '']);
      expect(err).to.match(words);
      expect(err).to.match(/^mirzam import: \S+bad\.ndjson: .*Nothing is imported\.\n$/);
    }
    await writeFile(
      file,
      Buffer.concat([Buffer.from(`${lines[0]}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])]),
    );
    expect((await run(file)).err).to.include('line 2 is not UTF-8');
    const faultOf = async (name: string) => (await run(name)).err;
    const [none, folder] = [written.pathOf('none'), written.pathOf('.')];
    expect(await faultOf(none)).to.equal(
      `mirzam import: ${none}: there is no such file. Nothing is imported.\n`,
    );
    expect(await faultOf(folder)).to.equal(
      `mirzam import: ${folder}: it is a folder. Nothing is imported.\n`,
    );
    await expectEmpty();
  });

  it('refuses a store that is not empty, and leaves it as it is', async () => {
    const { file } = await exportOf(some);
    const store = await opened();
    await create(store, 'other/t/one');
    await store.close();
    const { code, err } = await run(file);
    expect(code).to.equal(2);
    expect(err).to.match(
      /^mirzam import: The (data folder|database) \S+ has a store.*Nothing is imported\.\n$/,
    );
    const again = await opened();
    expect((await allIn(again)).all.map(({ id }) => id)).to.deep.equal(['other/t/one']);
    await again.close();
  });

  it('refuses a store that a service uses', async () => {
    const { file } = await exportOf(some);
    await open.service(target.settings);
    const { code, err } = await run(file);
    expect(code).to.equal(2);
    expect(err).to.match(
      /is in use by process \d+: stop it|has a store, the collection actors: .*stop its services/s,
    );
  });

  it('refuses other settings of those that belong to the documents, unless it is told', async () => {
    const secret = { WEBHOOK_SECRET: 'the-secret-that-all-others-come-from' };
    const { file } = await exportOf(some, secret);
    expect(await readFile(file, 'utf8')).not.to.include(secret.WEBHOOK_SECRET);
    const missing = await run(file);
    expect(missing.code).to.equal(2);
    expect(missing.err).to.include('WEBHOOK_SECRET was set there and is not here');
    const other = await run(file, { more: { WEBHOOK_SECRET: 'another-secret-that-is-as-long-as-it' } });
    expect(other.err).to.include('WEBHOOK_SECRET has another value here').and.to.include('--other-settings');
    const key = { ...secret, FACTS_AUTH: 'key', FACTS_KEY: 'the-key-that-brokers-have-to-send' };
    expect((await run(file, { more: key })).err).to.include('FACTS_KEY is set here and was not there');
    await expectEmpty();
    await target.remove();
    expect((await run(file, { more: secret })).code).to.equal(0);
    await target.remove();
    expect((await run(file, { args: ['--other-settings'] })).code).to.equal(0);
  });

  it('reads the standard input, and shows on a terminal how far it is', async () => {
    const { lines, file } = await exportOf((store) =>
      store.commit(Array.from({ length: 2_100 }, (_, i) => creation(`k/t/${i}`))),
    );
    const stdin = Readable.from([Buffer.from(lines.join('\n'))]);
    const { code, err } = await run('-', { stdin, isTTY: true });
    expect(code).to.equal(0);
    expect(err.startsWith(`${CLEARED}2000 documents`), err).to.equal(true);
    expect(err.endsWith(CLEARED)).to.equal(true);
    await target.remove();
    const shown = (await run(file, { isTTY: true })).err;
    expect(shown.startsWith(CLEARED)).to.equal(true);
    expect(shown.slice(CLEARED.length)).to.match(/^\d+ %, \d+ documents/);
  });

  describe('when it is killed', () => {
    /** Starts the command on a file of which it gets the first lines only. Resolves once it has written some of them. */
    async function begun(lines: readonly string[]) {
      const env = { PATH: process.env['PATH'], ...target.settings };
      const child = spawn(process.execPath, [MAIN, 'import', '-'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
      let err = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
      const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
      child.stdin.on('error', () => undefined);
      for (const line of lines) if (!child.stdin.write(`${line}\n`)) await once(child.stdin, 'drain');
      return { child, exited, err: () => err };
    }

    const many = () =>
      exportOf((store) =>
        store.commit(
          Array.from({ length: 900 }, (_, i) =>
            creation(`k/t/${10_000 + i}`, { frequent: JSON.stringify('x'.repeat(20_000)) }),
          ),
        ),
      );

    it('has imported nothing: the service starts on an empty store, and another import succeeds', async () => {
      const { lines, file } = await many();
      // What the pipe has taken is written, but for its last batches.
      const { child, exited } = await begun(lines.slice(0, -100));
      expect((await target.names()).some((name) => name.includes('import'))).to.equal(true);
      child.kill('SIGKILL');
      await exited;
      const service = await open.service(target.settings);
      const { body } = await service.api.call('GET', '/operator/actors?limit=1000');
      expect(JSON.stringify(body)).not.to.include('k/t/');
      await service.close();
      const unfinished = async () => (await target.names()).filter((name) => name.includes('import'));
      // The start of a service looks into its own folder.
      expect(await unfinished()).to.have.length('DATA_DIR' in target.settings ? 0 : 1);
      expect((await run(file)).code).to.equal(2);
      expect(await unfinished()).to.have.length(0);
      await target.remove();
      const second = await begun(lines.slice(0, -100));
      second.child.kill('SIGKILL');
      await second.exited;
      const { code, err } = await run(file, { more: { LOG_LEVEL: 'silent' } });
      expect([code, err]).to.deep.equal([0, '']);
      expect((await target.names()).filter((name) => name.includes('import'))).to.deep.equal([]);
      const store = await opened();
      expect((await allIn(store)).all).to.have.length(900);
      await store.close();
    });

    it('removes what it has written if it is interrupted', async () => {
      const { lines } = await many();
      const { child, exited, err } = await begun(lines.slice(0, -100));
      child.kill('SIGINT');
      child.stdin.end();
      expect(await exited).to.deep.equal([2, null]);
      expect(err()).to.equal('mirzam import: it was interrupted. Nothing is imported.\n');
      await expectEmpty();
    });
  });
}
