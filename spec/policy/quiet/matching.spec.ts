import { expect } from 'chai';
import fc from 'fast-check';
import { fits } from '../../../src/policy/quiet/matching.js';

describe('a pattern of servers', () => {
  it('stands for what is written, with any characters for each *', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['web-1', 'web-1', true],
      ['web-1', 'web-12', false],
      ['web-*', 'web-', true],
      ['web-*', 'web-12', true],
      ['web-*', 'a-web-12', false],
      ['*', 'anything', true],
      ['*-db', 'a-db-db', true],
      ['a*b*c', 'abc', true],
      ['a*b*c', 'a-b', false],
      ['a*a', 'a', false],
      ['ab*ba', 'aba', false],
      ['**', 'x', true],
      ['web.1', 'web-1', false],
      ['Web-*', 'web-1', false],
    ];
    for (const [pattern, server, is] of cases)
      expect(fits(pattern, server), `${pattern} ${server}`).to.equal(is);
  });

  it('stands for the same servers as its regular expression', () => {
    const text = (...of: string[]) =>
      fc.array(fc.constantFrom(...of), { maxLength: 10 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(text('a', 'b', '*'), text('a', 'b'), (pattern, server) => {
        const same = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(server);
        expect(fits(pattern, server)).to.equal(same);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes no time that grows faster than its length', () => {
    const before = performance.now();
    for (let i = 0; i < 100; i += 1) fits(`${'*a'.repeat(127)}*b`, 'a'.repeat(256));
    expect(performance.now() - before).to.be.lessThan(1_000);
  });
});
