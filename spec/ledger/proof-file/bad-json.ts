import canonicalize from 'canonicalize';
import { hexOf, keccak } from '../../../src/system/chain-bytes.js';
import { bad, CREATE, textOf } from './bad-vector.js';
import { BARN, type JsonObject, madeFile, type Vector } from './vectors.js';

/** Makes the vectors whose text is not JSON as the format demands it. Their hash is the one that a lenient reader computes. */
export async function badJson(): Promise<readonly Vector[]> {
  const height = (name: string, about: string, value: unknown, text: string): Promise<Vector> => {
    const content = { ...BARN, height: value };
    const written = textOf(content).replace(/("height": )[^}]+?(\n\})/, `$1${text}$2`);
    return bad('content', name, about, { ...CREATE, content }, undefined, { content: written });
  };
  const file = `${JSON.stringify(await madeFile(CREATE), undefined, 2)}\n`;
  const inFile = (name: string, about: string, text: string): Promise<Vector> =>
    bad('file', name, about, CREATE, undefined, { file: text });
  const broken: JsonObject = { ...BARN, owner: '\uFFFD' };
  const withByte = (text: string): Uint8Array => {
    const [before, after] = text.split('\uFFFD');
    return Buffer.concat([Buffer.from(before!), Uint8Array.of(0xff), Buffer.from(after!)]);
  };
  return Promise.all([
    inFile('text-after-the-file', 'a second object after the file', `${file}{}`),
    inFile('number-with-zero', 'a number of the file has a zero in front', file.replace(': 42', ': 042')),
    inFile('empty-id', 'the id of the entity is empty', file.replace(String(BARN['id']), '')),
    inFile(
      'address-in-upper-case',
      'an address in upper case',
      file.replace(`0x${'c0'.repeat(20)}`, `0x${'C0'.repeat(20)}`),
    ),
    inFile('prefix-in-upper-case', 'a hash begins with 0X', file.replace('"hash": "0x', '"hash": "0X')),
    inFile('operation-in-upper-case', 'an operation in upper case', file.replace('"create"', '"Create"')),
    inFile('negative-chain', 'the chain is a negative integer', file.replace(': 1337', ': -1337')),
    bad('content', 'text-after-the-content', 'a second object after the content', CREATE, undefined, {
      content: `${textOf(BARN)}{}`,
    }),
    bad('content', 'two-marks', 'two byte order marks before the content', CREATE, undefined, {
      content: `\uFEFF\uFEFF${textOf(BARN)}`,
    }),
    bad(
      'content',
      'not-utf-8',
      'a byte that UTF-8 does not have',
      { ...CREATE, content: broken },
      undefined,
      { bytes: withByte(textOf(broken)) },
    ),
    bad(
      'content',
      'not-utf-8-as-it-is',
      'the same bytes, with the hash of a reader that takes them as they are',
      { ...CREATE, content: broken, hash: hexOf(keccak(withByte(canonicalize(broken)!))) },
      undefined,
      { bytes: withByte(textOf(broken)) },
    ),
    height('value-with-zero', 'a number with a zero in front', 1, '01'),
    height('value-with-plus', 'a number with a plus sign', 1, '+1'),
    height('array-with-comma', 'an array with a comma after its last element', [1], '[1,]'),
    height('raw-tab', 'a string with a tab that is not escaped', 'a\tb', '"a\tb"'),
    height('low-surrogate', 'a string with the second half of a pair alone', '\uFFFD', String.raw`"\udc00"`),
    height(
      'surrogate-and-letter',
      'the first half of a pair, and a letter',
      '\uFFFDA',
      String.raw`"\ud800\u0041"`,
    ),
    height(
      'surrogate-before-letter',
      'the same text, with the hash of a reader that takes both for one character',
      '\uFFFD',
      String.raw`"\ud800\u0041"`,
    ),
    height('negative-inexact', 'a negative integer that readers round', -(2 ** 53), '-9007199254740993'),
  ]);
}
