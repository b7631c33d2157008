import { expect } from 'chai';
import fc from 'fast-check';
import { isPattern } from '../../../src/ledger/content/id-pattern.js';

const { raw } = String;

describe('an idPattern', () => {
  for (const text of [
    '',
    '.*',
    '^urn:(a|b):[0-9]+$',
    // No JavaScript compiles these; brokers may.
    '*',
    'a{2,1}',
    '(?i)urn:.*',
    '(?<name>a)(?P<other>b)',
    '[[:alpha:]]+',
    '[]a]',
    '[^]a]',
    '[a-z&&[^bc]]',
    // Escaped, or in a class.
    raw`\(`,
    raw`\)\]\[`,
    raw`a\\`,
    raw`(\))`,
    '[(]',
    '[)](a)',
    '[[]',
    raw`[\]]`,
    `${'('.repeat(5_000)}${')'.repeat(5_000)}`,
  ]) {
    it(`may be ${text.slice(0, 30)}`, () => expect(isPattern(text)).to.equal(true));
  }

  for (const text of [
    '(',
    ')',
    '[',
    ']',
    ')(',
    '(a))',
    '((a)',
    '(?<a',
    '[a',
    'a]',
    '(]',
    '([)',
    '[(])',
    raw`(\)`,
    raw`[\]`,
    raw`\[a]`,
    '\\',
    raw`a\\` + '\\',
    '('.repeat(5_000),
  ]) {
    it(`must not be ${text.slice(0, 30)}`, () => expect(isPattern(text)).to.equal(false));
  }

  it('is never refused if JavaScript compiles it, but for a lone ] outside of a class', () => {
    const piece = fc.constantFrom('(', ')', '[', ']', '^', '\\', 'a', '|', '.', '*', '?:', '-');
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 12 }), (text) => {
        try {
          // With the flag, a lone ] does not compile.
          void new RegExp(text, 'u');
        } catch {
          return true;
        }
        return isPattern(text);
      }),
      { numRuns: 5_000 },
    );
  });
});
