import { expect } from 'chai';
import fc from 'fast-check';
import { utils } from 'web3';
import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import { refused } from './refused.js';

/** Returns the hash of a text by another implementation. */
const hashOfText = (text: string) => utils.keccak256(Buffer.from(text));
const parsed = (text: string): unknown => JSON.parse(text);
const doubleOf = (bits: string) => Buffer.from(bits, 'hex').readDoubleBE();

describe('the hash of content', () => {
  it('is keccak-256 of the canonical form, in UTF-8', () => {
    expect(hashOf({ b: 'ä€😀', a: [1, true, null] })).to.equal(hashOfText('{"a":[1,true,null],"b":"ä€😀"}'));
    expect(assetIdOf('')).to.equal('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
    expect(assetIdOf('urn:ngsi-ld:Bär:1')).to.equal(hashOfText('urn:ngsi-ld:Bär:1'));
  });

  it('matches the example of RFC 8785, section 3.2.2', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    const canonical = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
    expect(hashOf(parsed(text))).to.equal(hashOfText(canonical));
  });

  it('orders members by their UTF-16 units (RFC 8785, section 3.2.3)', () => {
    const text = String.raw`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`;
    const canonical = String.raw`{"\r":2,"1":4,"` + '\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}';
    expect(hashOf(parsed(text))).to.equal(hashOfText(canonical));
    expect(hashOf(parsed('{"10":1,"9":2,"a":3}'))).to.equal(hashOfText('{"10":1,"9":2,"a":3}'));
  });

  for (const [bits, text] of [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ] as const) {
    it(`writes numbers as in RFC 8785, appendix B: ${bits} is ${text}`, () => {
      expect(hashOf([doubleOf(bits)])).to.equal(hashOfText(`[${text}]`));
    });
  }

  it('treats members as data, whatever their names', () => {
    for (const text of [
      '{"__proto__":{"toJSON":"x","type":"y"}}',
      '{"constructor":{"prototype":1},"toJSON":{"valueOf":[]},"toString":null}',
      '{"hasOwnProperty":1,"length":3}',
    ]) {
      expect(hashOf(parsed(text))).to.equal(hashOfText(text));
    }
  });

  it('exists for content 500 levels deep', () => {
    const text = '['.repeat(500) + ']'.repeat(500);
    expect(hashOf(parsed(text))).to.equal(hashOfText(text));
  });

  it('does not exist for content without a canonical form: each place is a fault', () => {
    expect(refused(() => hashOf(parsed('{"a":[1,{"b":1e400}],"c":-1e999}')))).to.equal(
      'a[1].b: is a number beyond the range of a double; c: is a number beyond the range of a double',
    );
    expect(refused(() => hashOf(Number.NaN))).to.match(/^body: is a number/);
    expect(refused(() => hashOf({ a: ['\ud800'] }))).to.equal('a[0]: holds an unpaired surrogate');
    expect(refused(() => hashOf({ a: { '\udc00': 1 } }))).to.match(
      /^a\["\\udc00"\]: has a name with an unpaired/,
    );
    expect(refused(() => hashOf(undefined))).to.equal('body: must be a JSON value');
  });

  it('does not change with the order of members, nor through a text and back', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([name, of]) => [name, reversed(of)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(hashOf(parsed(text))).to.equal(hashOf(value));
        expect(hashOf(reversed(parsed(text)))).to.equal(hashOf(value));
      }),
    );
  });

  it('differs for different content', () => {
    expect(hashOf({ a: '1' })).not.to.equal(hashOf({ a: 1 }));
    expect(hashOf([[], []])).not.to.equal(hashOf([[[]]]));
  });
});
