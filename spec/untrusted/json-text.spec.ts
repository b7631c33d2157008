import { expect } from 'chai';
import { Refusal } from '../../src/errors.js';
import { parseJson } from '../../src/untrusted/json-text.js';

function refusalOf(text: string, deepest?: number): Refusal {
  try {
    parseJson(Buffer.from(text), deepest);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`taken: ${text.slice(0, 100)}`);
}

const nested = (levels: number, open = '[', close = ']'): string =>
  open.repeat(levels) + close.repeat(levels);

describe('the parser of JSON texts', () => {
  describe('surrogates', () => {
    for (const text of [
      String.raw`"\ud800"`,
      String.raw`"\uDFFF"`,
      String.raw`"\udc00\ud800"`,
      String.raw`"\udc00\udc00"`,
      String.raw`"\ud83d\u0041"`,
      String.raw`"\ud83d \ude00"`,
      String.raw`"\ud83d\ud83d\ude00"`,
      String.raw`"\\\ud800"`,
      String.raw`"\n\\\\\uD83D"`,
      String.raw`{"\ud800":1}`,
      String.raw`{"a":{"b":["\udead"]}}`,
      String.raw`{"a":"\ud800","a":"fine"}`,
    ]) {
      it(`refuses an unpaired one: ${text}`, () => {
        expect(refusalOf(text)).to.include({ code: 'bad-request' });
        expect(refusalOf(text).message).to.contain('unpaired surrogate');
      });
    }

    for (const text of [
      String.raw`"\ud83d\ude00"`,
      String.raw`"\uD83D\uDE00\ud83d\ude00"`,
      String.raw`"\\ud800"`,
      String.raw`"\\\\ud800 \\"`,
      String.raw`"\u00e4\ud7ff\ue000"`,
      String.raw`{"\ud83d\ude00":"\"\\\/\b\f\n\r\t"}`,
      '"😀"',
    ]) {
      it(`accepts a pair, or text that only looks like one: ${text}`, () => {
        expect(parseJson(Buffer.from(text))).to.deep.equal(JSON.parse(text));
      });
    }
  });

  describe('nesting', () => {
    for (const [what, text] of [
      ['arrays', nested(100)],
      ['objects', nested(100, '{"a":', '}').replace('{"a":}', '{"a":1}')],
      ['many beside each other', `[${Array.from({ length: 500 }, () => '{"a":[]}').join(',')}]`],
      ['brackets in strings', `["${'[{'.repeat(5000)}","\\"${'['.repeat(200)}"]`],
    ] as const) {
      it(`accepts 100 levels (${what})`, () => {
        expect(parseJson(Buffer.from(text))).to.deep.equal(JSON.parse(text));
      });
    }

    for (const [what, text] of [
      ['arrays', nested(101)],
      ['objects', nested(101, '{"a":', '}').replace('{"a":}', '{"a":1}')],
      ['both', nested(51, '[{"a":', '}]').replace(':}', ':1}')],
      ['no end', '['.repeat(1_000_000)],
      ['a million levels', nested(1_000_000)],
      ['no JSON at all', '{'.repeat(1_000_000)],
    ] as const) {
      it(`refuses more levels (${what})`, () => {
        expect(refusalOf(text)).to.include({ code: 'bad-request' });
        expect(refusalOf(text).message).to.contain('100 levels');
      });
    }

    it('accepts as many levels as the caller allows, and no more', () => {
      expect(parseJson(Buffer.from(nested(500)), 500)).to.be.an('array');
      expect(refusalOf(nested(501), 500).message).to.contain('500 levels');
      expect(refusalOf(nested(3), 2).message).to.contain('2 levels');
    });
  });

  describe('invalid JSON', () => {
    for (const [text, message] of [
      ['abc', 'a value expected at position 0 (line 1, column 1)'],
      ['{', 'a name or } expected at position 1, where the text ends'],
      ['{"a"', ': expected at position 4, where the text ends'],
      ['{"a":', 'a value expected at position 5, where the text ends'],
      ['{"a":1', ', or } expected at position 6, where the text ends'],
      ['{"a":1,}', 'a name expected at position 7 (line 1, column 8)'],
      ["{'a':1}", 'a name or } expected at position 1 (line 1, column 2)'],
      ['{"a":1 "b":2}', ', or } expected at position 7 (line 1, column 8)'],
      ['{"a":1]', ', or } expected at position 6 (line 1, column 7)'],
      ['{1:2}', 'a name or } expected at position 1 (line 1, column 2)'],
      ['[1,]', 'a value expected at position 3 (line 1, column 4)'],
      ['[,1]', 'a value or ] expected at position 1 (line 1, column 2)'],
      ['[1 2]', ', or ] expected at position 3 (line 1, column 4)'],
      ['[1}', ', or ] expected at position 2 (line 1, column 3)'],
      ['[\n 1,\n  x]', 'a value expected at position 8 (line 3, column 3)'],
      ['1 2', 'nothing more expected at position 2 (line 1, column 3)'],
      ['{}}', 'nothing more expected at position 2 (line 1, column 3)'],
      ['01', 'a value expected at position 0 (line 1, column 1)'],
      ['[-]', 'a value or ] expected at position 1 (line 1, column 2)'],
      ['[1.]', 'a value or ] expected at position 1 (line 1, column 2)'],
      ['[NaN]', 'a value or ] expected at position 1 (line 1, column 2)'],
      ['["a\nb"]', 'a value or ] expected at position 1 (line 1, column 2)'],
      [String.raw`["\x"]`, 'a value or ] expected at position 1 (line 1, column 2)'],
      [String.raw`["\u12"]`, 'a value or ] expected at position 1 (line 1, column 2)'],
      ['["a', 'a value or ] expected at position 1 (line 1, column 2)'],
      ['[/* no */]', 'a value or ] expected at position 1 (line 1, column 2)'],
      ['\u00a0{}', 'a value expected at position 0 (line 1, column 1)'],
    ]) {
      it(`is refused with the position and what is expected there: ${JSON.stringify(text)}`, () => {
        expect(refusalOf(text!)).to.include({ code: 'unreadable' });
        expect(refusalOf(text!).message).to.equal(`the body is not JSON: ${message}`);
      });
    }
  });
});
