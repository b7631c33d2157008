import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');
/** Returns the last column of the table: names of specs in backticks. */
const named = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .flatMap((line) =>
    [
      ...line
        .split('|')
        .at(-2)!
        .matchAll(/`([^`]+)`/g),
    ].map(([, name]) => name!),
  );

describe('docs/security.md', () => {
  it('names existing specs', () => {
    expect(named.length).to.be.greaterThan(25);
    const missing = named.filter((name) => !existsSync(new URL(`spec/${name}.spec.ts`, root)));
    expect(missing).to.deep.equal([]);
  });
});
