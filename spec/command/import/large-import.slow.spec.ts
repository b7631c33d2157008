import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { writtenFiles } from '../../written-files.js';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
/** The heap of a command, MB. The file has seven times as much. */
const HEAP_MB = 48;

const run = promisify(execFile);

describe('a large import', () => {
  const written = writtenFiles();

  const lineOf = (i: number, characters: number): string =>
    `${JSON.stringify({
      id: `server/t/${String(i).padStart(7, '0')}`,
      revision: (i + 1) * 1_024,
      version: 1,
      state: i % 50 === 0 ? 'firing' : 'calm',
      wakeAt: 1_800_000_000_000 + i,
      place: { order: `s${String(i % 1_000).padStart(4, '0')}`, tags: `s${i % 5}\nr${i % 100}` },
      frequent: JSON.stringify('x'.repeat(characters)),
      rare: JSON.stringify({ rules: [i] }),
    })}\n`;

  /** Writes an export of so many documents with texts of so many characters. */
  async function exportOf(documents: number, characters: number): Promise<string> {
    const file = written.pathOf('large.ndjson');
    await pipeline(function* () {
      yield `${JSON.stringify({ format: 1, version: '0.1.0', time: '', reserved: 1, keptTime: 5 })}\n`;
      for (let i = 0; i < documents; i += 1) yield lineOf(i, characters);
      yield `{"end":${documents}}\n`;
    }, createWriteStream(file));
    return file;
  }

  const command = (settings: Readonly<Record<string, string>>, ...words: readonly string[]) =>
    run(process.execPath, [`--max-old-space-size=${HEAP_MB}`, MAIN, ...words], {
      env: { PATH: process.env['PATH'], ...settings },
    });

  /** Returns the hash of all lines but the first. */
  async function hashOf(file: string): Promise<string> {
    const hash = createHash('sha256');
    let isHeader = true;
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      hash.update(isHeader ? chunk.subarray(chunk.indexOf('\n')) : chunk);
      isHeader = false;
    }
    return hash.digest('hex');
  }

  it('of 300,000 actors needs no more memory than a small one, nor does its export', async () => {
    const settings = { DATA_DIR: written.pathOf('data') };
    const file = await exportOf(300_000, 1_000);
    const again = written.pathOf('again.ndjson');
    await command(settings, 'import', file);
    await command(settings, 'export', '--stopped', again);
    expect(await hashOf(again)).to.equal(await hashOf(file));
  });
});
