import { expect } from 'chai';
import fc from 'fast-check';
import { isName, isUri } from '../../../src/ledger/content/uri.js';
import { cpuTimeOf } from '../../system/cpu-time.js';

describe('a URI', () => {
  for (const uri of [
    'urn:ngsi-ld:Store:1',
    'http://example.org/a/b?c=d#e',
    'HTTPS://example.org',
    'did:key:z6Mk',
    'a:b',
    'coap+tcp://[::1]:5683/x',
    'tag:example.org,2024:a',
    "urn:x:it's(all)*fine!;=&@$~",
    'urn:x:a%20b%C3%A4',
    'urn:ngsi-ld:Bär:東京:😀',
    `urn:x:${'a'.repeat(2_042)}`,
  ]) {
    it(`is ${uri.slice(0, 40)}`, () => {
      expect(isUri(uri)).to.equal(true);
    });
  }
  for (const text of [
    '',
    ':',
    'a:',
    'store',
    '/a/b',
    '1a:b',
    '-a:b',
    ':a',
    'ä:b',
    'a b:c',
    ' urn:a:b',
    'urn:a:b ',
    'urn:a b',
    'urn:a\tb',
    'urn:a\n',
    'urn:a\u0000b',
    'urn:a\u007f',
    'urn:a\u0085',
    'urn:a\u00a0b',
    'urn:a\u2028b',
    'urn:a<b',
    'urn:a>b',
    'urn:a"b',
    'urn:{a}',
    'urn:a|b',
    String.raw`urn:a\b`,
    'urn:a^b',
    'urn:a`b',
    'urn:a%',
    'urn:a%2',
    'urn:a%zz',
    'urn:a\ud800',
    'urn:a\u202eb',
    `urn:x:${'a'.repeat(2_043)}`,
    `urn:x:${'ä'.repeat(1_022)}`,
  ]) {
    it(`is not ${JSON.stringify(text).slice(0, 40)}`, () => {
      expect(isUri(text)).to.equal(false);
    });
  }
  it('is a string', () => {
    for (const value of [undefined, null, 1, true, ['urn:a:b'], { id: 'urn:a:b' }, new URL('http://a')]) {
      expect(isUri(value)).to.equal(false);
    }
  });
  it('is any URL that was normalised', () => {
    fc.assert(fc.property(fc.webUrl(), (url) => isUri(new URL(url).href)));
  });
});

describe('a name', () => {
  for (const name of [
    'a',
    'Store',
    '_',
    '0',
    'a_1',
    'schema:name',
    'a#1',
    'a:b#42',
    '__proto__',
    'urn:x:y-z',
  ]) {
    it(`is ${name}`, () => expect(isName(name)).to.equal(true));
  }
  for (const name of ['https://uri.etsi.org/ngsi-ld/name', 'URN:x:y', 'http://example.org/ä-b#c']) {
    it(`is a full IRI: ${name}`, () => expect(isName(name)).to.equal(true));
  }
  for (const name of [
    '',
    ' ',
    'a b',
    'a-b',
    'a.b',
    'a:',
    ':a',
    'a:b:c',
    'a#',
    '#1',
    'a#b',
    'ä',
    'a\n',
    'http://a b',
  ]) {
    it(`is not ${JSON.stringify(name)}`, () => expect(isName(name)).to.equal(false));
  }
  it('is checked in linear time', async () => {
    const check = (): void => {
      for (const unit of ['a', ':', '#', '1', 'a:', 'urn:', '://', '%', '%2']) {
        isName(unit.repeat(1_000_000));
        isName(`${unit.repeat(1_000_000)}!`);
        isUri(unit.repeat(2_000 / unit.length));
      }
    };
    expect(await cpuTimeOf(check)).to.be.below(2_000);
  });
});
