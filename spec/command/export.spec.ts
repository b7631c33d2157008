import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readFile, readdir, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { runWords } from './command-runs.js';
import { writtenFiles } from '../written-files.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

describe('mirzam export', () => {
  const open = scenes();
  const written = writtenFiles();

  const run = (...args: readonly string[]) => runWords(['export', ...args]);

  it('writes every line of the export to a file that only its owner may read', async () => {
    const { url } = await open.service();
    const file = await written.file('export.ndjson', 'an older one');
    const { code, out, err } = await run(file, '--mirzam-url', url);
    expect([code, err]).to.deep.equal([0, '']);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(lines[0]!)).to.include.keys('format', 'version', 'time');
    expect(JSON.parse(lines.at(-1)!)).to.deep.equal({ end: lines.length - 2 });
    expect(out).to.equal(`${file}: ${lines.length - 2} documents\n`);
    expect(
      (await stat(await run(written.pathOf('new'), '--mirzam-url', url).then(() => written.pathOf('new'))))
        .mode & 0o777,
    ).to.equal(0o600);
  });

  it('keeps the older file if the connection ends early, the service refuses, or is another program', async () => {
    const answers = [
      { body: '{"format":1}\n{"id":"a"}\n', words: /^mirzam export: the export has no end: / },
      { body: '', words: /the export has no end/ },
      {
        body: undefined,
        words:
          /^mirzam export: the connection to the service ended before the export did \(.*other side closed.*\); see the log of the service\n$/,
      },
    ];
    let body: string | undefined;
    const other = createServer((_, response) => {
      response.writeHead(200);
      if (body === undefined) response.write('{"format":1}\n', () => response.destroy());
      else response.end(body);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    open.keep(other, async () => other.close());
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const file = await written.file('export.ndjson', 'an older one');
    for (const answer of answers) {
      ({ body } = answer);
      const { code, out, err } = await run(file, '--mirzam-url', url);
      expect([code, out]).to.deep.equal([2, '']);
      expect(err).to.match(answer.words);
    }
    const guarded = await open.service({ OPERATOR_TOKEN: 'operators-of-these-specs-have-this-token' });
    expect((await run(file, '--mirzam-url', guarded.url)).err).to.include('check OPERATOR_TOKEN');
    expect(await readFile(file, 'utf8')).to.equal('an older one');
    expect(await readdir(written.pathOf('.'))).to.deep.equal(['export.ndjson']);
  });

  it('leaves the older file if it is killed, and what it has written is not an export', async () => {
    const { url } = open.keep(await slowService(), (one) => one.close());
    const file = await written.file('export.ndjson', 'an older one');
    const env = { PATH: process.env['PATH'] };
    const child = spawn(process.execPath, [MAIN, 'export', file, '--mirzam-url', url], { env });
    const exited = once(child, 'exit');
    const unfinished = `${file}.unfinished`;
    await eventually(
      async () =>
        (await readFile(unfinished, 'utf8').catch(() => '')).includes('"k/t/1"') ? true : undefined,
      SOON_MS,
      () => 'nothing is written',
    );
    child.kill('SIGKILL');
    await exited;
    expect(await readFile(file, 'utf8')).to.equal('an older one');
    const { code, err } = await runWords(['import', unfinished], { DATA_DIR: written.pathOf('data') });
    expect(code).to.equal(2);
    expect(err).to.match(/its last line \{"end": …\} is missing, after 1 documents: .*Nothing is imported/);
  });

  it('replaces no device, pipe or folder, and no link to a file, and is not printed', async () => {
    const { url } = await open.service();
    const device = written.pathOf('device');
    await symlink('/dev/null', device);
    for (const [name, why] of [
      [device, 'it is not a file'],
      ['-', 'it is not a file'],
      [written.pathOf('.'), 'it is a folder'],
    ] as const) {
      const { code, out, err } = await run(name, '--mirzam-url', url);
      expect([code, out]).to.deep.equal([2, '']);
      expect(err).to.equal(
        `mirzam export: the export to ${name} failed: ${why}; name a file, which the export makes or replaces\n`,
      );
    }
    expect((await stat(device)).isCharacterDevice()).to.equal(true);
    const file = await written.file('export.ndjson', 'an older one');
    const link = written.pathOf('link');
    await symlink(file, link);
    expect((await run(link, '--mirzam-url', url)).code).to.equal(0);
    expect((await lstat(link)).isSymbolicLink()).to.equal(true);
    expect(await readFile(file, 'utf8')).to.include('"end"');
  });

  it('says that a folder is not there, or is a file', async () => {
    const { url } = await open.service();
    const { code, err } = await run(written.pathOf('none/export'), '--mirzam-url', url);
    expect(code).to.equal(2);
    expect(err).to.match(/^mirzam export: the export to \S*none\/export failed: there is no such folder\n$/);
    const below = await run(`${await written.file('file', '')}/export`, '--mirzam-url', url);
    expect([below.code, below.err]).to.deep.equal([
      2,
      `mirzam export: the export to ${written.pathOf('file')}/export failed: a folder above it is a file\n`,
    ]);
  });

  it('reads the store of a stopped service, and refuses one that is in use or none', async () => {
    const folder = await open.folder();
    // Without an audit nothing is written between the two exports.
    const service = await open.service({ DATA_DIR: folder, AUDIT_DAYS: '0' });
    await service.api.call('PUT', '/v1.0/demo', { windowsize: 3 });
    const file = written.pathOf('export');
    const inUse = await runWords(['export', '--stopped', file], { DATA_DIR: folder });
    expect([inUse.code, inUse.out]).to.deep.equal([2, '']);
    expect(inUse.err).to.match(/^mirzam export: The data folder \S+ is in use by process \d+: stop it/);
    expect((await run(file, '--mirzam-url', service.url)).code).to.equal(0);
    const [, ...documents] = await linesOf(file);
    await service.close();
    const { code, err } = await runWords(['export', '--stopped', file], { DATA_DIR: folder });
    expect([code, err]).to.deep.equal([0, '']);
    const [header, ...same] = await linesOf(file);
    expect(header).to.include({ format: 1, version: '1.2.3' });
    expect(same).to.deep.equal(documents);
    const none = await runWords(['export', '--stopped', file], { DATA_DIR: written.pathOf('none') });
    expect(none.err).to.match(/^mirzam export: The folder \S+none has no store: check DATA_DIR\n/);
  });

  async function linesOf(file: string): Promise<readonly Record<string, unknown>[]> {
    const text = await readFile(file, 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Starts a program that answers with the beginning of an export, and no more. */
  async function slowService() {
    const document = { id: 'k/t/1', revision: 1, version: 1, state: 'a', frequent: '{}', rare: '{}' };
    const lines = [{ format: 1, version: '0.1.0', reserved: 1 }, document];
    const server = createServer((_, response) => {
      response.writeHead(200).write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async close() {
        server.closeAllConnections();
        server.close();
      },
    };
  }
});
