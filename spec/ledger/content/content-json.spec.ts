import { expect } from 'chai';
import fc from 'fast-check';
import { parseContent } from '../../../src/ledger/content/content-json.js';
import { cases } from '../../cases.js';
import { refused } from './refused.js';

const ONCE = 'must be given once: two members of one object have this name';
const UNSAFE = 'must not be an integer beyond ±9007199254740991, which readers round: send it as a string';

const parse = (text: string): unknown => parseContent(Buffer.from(text));

const RUNS = cases(20_000, 2_000);

const strings = /"(?:[^"\\]|\\.)*"/g;

/** A string as JSON, with or without an escape for each of its units. */
const string = (units: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.string({ unit: fc.constantFrom(...units.split('')), maxLength: 3 }), fc.boolean())
    .map(([text, escaped]) => {
      if (!escaped) return JSON.stringify(text);
      const unit = (char: string): string =>
        String.raw`\u` + char.charCodeAt(0).toString(16).padStart(4, '0');
      return `"${text.split('').map(unit).join('')}"`;
    });

/** JSON texts in which names repeat and integers are large. */
const { written } = fc.letrec<{ written: string }>((tie) => ({
  written: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom('true', 'null', '0', '-1', '1.5', '1e300', '9007199254740991', '-9007199254740991'),
    fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    string('"\\{}[],:19aä'),
    fc.array(tie('written'), { maxLength: 4 }).map((elements) => `[${elements.join(' ,')}]`),
    fc
      .array(fc.tuple(string('"\\abcdef{:,1'), tie('written')), { maxLength: 5 })
      .map((members) => `{${members.map((member) => member.join(': ')).join(',\n')} }`),
  ),
}));

describe('the content of a body', () => {
  for (const text of [
    '9007199254740991',
    '-9007199254740991',
    '-0',
    '9007199254740993.0',
    '9007199254740993e0',
    '90071992547409930E-1',
    '1e300',
    '1E+300',
    '123456789012345678901234567890.5',
    '"9007199254740993"',
    '{"9007199254740993":"9007199254740993"}',
    '{"a":1,"A":2,"a ":3,"":4}',
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '[{"a":1},{"a":2}]',
    '{"a":"a","b":"a","c":["a","a","b"]}',
    String.raw`{"a":"\"a\":1,\"a\":2","\"a":1,"\\":2,"\\\\":3}`,
    '{"a":"{","b":"[9007199254740993","c":"}]"}',
    '{"toString":1,"constructor":2,"hasOwnProperty":3}',
    '{"__proto__":1}',
    ' [ ] ',
    '{ }',
    '\ufeff{"a":1}',
  ]) {
    it(`is accepted as JSON.parse reads it: ${text}`, () => {
      expect(parse(text)).to.deep.equal(JSON.parse(text.replace('\ufeff', '')));
    });
  }

  for (const [text, ...faults] of [
    ['9007199254740992', `body: ${UNSAFE}`],
    ['-9007199254740992', `body: ${UNSAFE}`],
    ['[0,9007199254740993]', `[1]: ${UNSAFE}`],
    [`{"a":1${'0'.repeat(400)}}`, `a: ${UNSAFE}`],
    ['{"a":[[1],[2,[3,9007199254740992]]],"b":-9007199254740993}', `a[1][1][1]: ${UNSAFE}`, `b: ${UNSAFE}`],
    ['{"a":{"b c":9007199254740992}}', `a["b c"]: ${UNSAFE}`],
    ['{"a":1,"a":1}', `a: ${ONCE}`],
    ['{"a":1,"a":2,"a":3}', `a: ${ONCE}`],
    ['{"a":{"x":1},"b":2,"a":{"x":1}}', `a: ${ONCE}`],
    [String.raw`{"a":1,"\u0061":2}`, `a: ${ONCE}`],
    [String.raw`{"\u00e4\/":1,"ä/":2}`, `["ä/"]: ${ONCE}`],
    [String.raw`{"\"":1,"\u0022":2}`, String.raw`["\""]: ${ONCE}`],
    ['{"__proto__":1,"__proto__":2}', `__proto__: ${ONCE}`],
    ['{"":1,"":2}', `[""]: ${ONCE}`],
    ['{ "a" : [ ] , "a" : { } }', `a: ${ONCE}`],
    ['[[{"a":[{"b":1,"b":2}]}]]', `[0][0].a[0].b: ${ONCE}`],
    ['{"a":{},"b":{"c":1,"c":9007199254740992}}', `b.c: ${ONCE}`, `b.c: ${UNSAFE}`],
  ]) {
    it(`is refused with the place of each fault: ${text!.slice(0, 80)}`, () => {
      expect(refused(() => parse(text!))).to.equal(faults.join('; '));
    });
  }

  it('is accepted exactly if JSON.parse loses no member and rounds no integer', () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(written, (text) => {
        const parsed: unknown = JSON.parse(text);
        const members = text.replaceAll(strings, '').split(':').length - 1;
        const integers = text.replaceAll(strings, '').match(/(?<![\d.eE+-])-?\d+(?![\d.eE])/g) ?? [];
        if (membersOf(parsed) === members && integers.every(isExact)) {
          seen.accepted += 1;
          expect(parse(text)).to.deep.equal(parsed);
        } else {
          seen.refused += 1;
          expect(refused(() => parse(text))).to.match(/must (?:be given once|not be an integer)/);
        }
      }),
      { numRuns: RUNS },
    );
    expect(seen.accepted, 'accepted').to.be.above(RUNS / 10);
    expect(seen.refused, 'refused').to.be.above(RUNS / 10);
  });
});

/** The number of members in a JSON value, at all levels. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, member) => sum + membersOf(member), own);
}

function isExact(integer: string): boolean {
  const exact = BigInt(integer);
  return exact <= 2n ** 53n - 1n && exact >= 1n - 2n ** 53n;
}
