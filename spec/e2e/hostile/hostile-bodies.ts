import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

/** The bytes of a body, and its headers. */
export interface Sent {
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Values of unexpected types and sizes. */
const POISON: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  0.1,
  '',
  ' ',
  '\u0000',
  'a\r\nBcc: x@example.org',
  'NaN',
  '__proto__',
  [],
  {},
  [[]],
  [null],
  { length: 1 },
  { toString: 1, valueOf: null },
  { toJSON: 'x' },
  { sessionId: 'a', send: 1, ref: {} },
  { xstate$$type: 1 },
  'x'.repeat(3_000),
  '$where',
  'a.b',
  '\u202e😀',
];

/** Texts that JSON.stringify never writes. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  'NaN',
  '-Infinity',
  'undefined',
  '1e400',
  '-0',
  '01',
  "{'a':1}",
  '{"a":1,}',
  '{"a":1}{"a":2}',
  '{"__proto__":{"name":"x"}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"hasOwnProperty":1,"name":"n"}',
  '{"windowsize":1e400}',
  '{"windowsize":5,"windowsize":"5"}',
  '{"name":"\ud800"}',
  String.raw`{"name":"\ud83d"}`,
  '\ufeff{}',
  '[',
  '{'.repeat(101),
  '['.repeat(100) + ']'.repeat(100),
  '{"a":"\u0001"}',
  '/**/{}',
  '<xml/>',
  'a=1&b=2',
];

type Path = readonly (string | number)[];

/** Returns every path in a JSON value, including the root. */
function placesIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inside = Object.entries(value).flatMap(([name, member]) => placesIn(member, [...at, name]));
  return [at, ...inside];
}

/** Returns the value changed at a path: a replaced value, a removed member or an unknown member. */
function mutated(
  value: unknown,
  [first, ...rest]: Path,
  how: 'put' | 'drop' | 'beside',
  what: unknown,
): unknown {
  if (first === undefined) {
    return how === 'beside' && typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value, [typeof what === 'string' && what !== '' ? what : 'stranger']: what }
      : what;
  }
  const copy = structuredClone(value) as Record<string | number, unknown>;
  if (how === 'drop' && rest.length === 0) delete copy[first];
  else copy[first] = mutated(copy[first], rest, how, what);
  return copy;
}

const poison = fc.oneof(fc.constantFrom(...POISON), fc.jsonValue({ maxDepth: 2 }));

/** Bodies from noise to nearly valid, with matching headers or not. `good` is a valid body, if there is one. */
export function anyBody(good: unknown): fc.Arbitrary<Sent> {
  const sample = good ?? { name: 'n' };
  const goodText = JSON.stringify(sample);
  const nearly = fc
    .tuple(fc.constantFrom(...placesIn(sample)), fc.constantFrom('put', 'drop', 'beside'), poison)
    .map(([place, how, what]) => mutated(sample, place, how as 'put', what));
  const texts: fc.Arbitrary<string | Uint8Array> = fc.oneof(
    { weight: 5, arbitrary: nearly.map((value) => JSON.stringify(value) ?? 'undefined') },
    { weight: 2, arbitrary: fc.json() },
    { weight: 2, arbitrary: fc.constantFrom(...TEXTS) },
    { weight: 2, arbitrary: fc.constant(goodText) },
    { weight: 1, arbitrary: fc.array(nearly, { maxLength: 4 }).map((list) => JSON.stringify(list)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.nat(goodText.length - 1), fc.nat(255)).map(([at, byte]) => {
        const bytes = Buffer.from(goodText);
        bytes[at] = byte;
        return bytes;
      }),
    },
    {
      weight: 1,
      arbitrary: fc.nat(goodText.length).map((end) => goodText.slice(0, end)),
    },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 3_000 }).map((n) => '['.repeat(n) + ']'.repeat(n)) },
  );
  const types: readonly Readonly<Record<string, string>>[] = [
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'br' },
    { accept: 'text/html' },
    { 'x-request-id': 'x'.repeat(500) },
  ];
  return fc.oneof(
    { weight: 10, arbitrary: texts.map((body) => ({ body, headers: {} })) },
    {
      weight: 1,
      arbitrary: texts.map((body) => ({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(texts, fc.constantFrom(...types)).map(([body, headers]) => ({ body, headers })),
    },
  );
}
