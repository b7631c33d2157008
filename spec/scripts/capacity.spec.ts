import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { rejectionOf } from '../rejection.js';
import { repository } from './fixture.js';

const run = promisify(execFile);
const capacity = async (...options: readonly string[]): Promise<string> =>
  (await run(process.execPath, [path.join(repository, 'scripts/capacity.js'), ...options])).stdout.trimEnd();
/** Returns the cells of the rows of a text that are rows of a table. */
const rowsOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replace(/^-+$/, '-'))
        .join('|'),
    );

describe('the capacity of several nodes', () => {
  const document = readFileSync(path.join(repository, 'docs/scaling.md'), 'utf8');

  for (const options of [[], ['--per-request', '12']]) {
    it(`is in the document as the script computes it with ${JSON.stringify(options)}`, async () => {
      expect(document).to.include(['node scripts/capacity.js', ...options].join(' '));
      const rows = rowsOf(await capacity(...options));
      expect(rows).to.have.length(7);
      expect(rowsOf(document).join('\n')).to.include(rows.join('\n'));
    });
  }

  it('names the figures of the script', () => {
    const script = readFileSync(path.join(repository, 'scripts/capacity.js'), 'utf8');
    const figures = /const measured = \{(?<body>[^}]*)\}/.exec(script)!.groups!['body']!;
    const named = [...figures.matchAll(/^ {2}(?<name>\w+): (?<value>[\d_.]+),$/gm)];
    expect(named.length).to.be.greaterThan(5);
    for (const { groups } of named) {
      const value = Number(groups!['value']!.replaceAll('_', '')).toLocaleString('en-US');
      expect(
        rowsOf(document).some((row) => row.includes(`\`${groups!['name']}\``) && row.includes(value)),
      ).to.equal(true, `${groups!['name']} ${value}`);
    }
  });

  it('is refused for a figure that is not a number above 0', async () => {
    const { message } = await rejectionOf(capacity('--writes', '0'));
    expect(message).to.include('--writes is 0: a number above 0 is allowed');
  });
});
