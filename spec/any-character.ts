import fc from 'fast-check';

/** Number of UTF-16 surrogates, which are no characters, and the first of them. */
const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/**
 * Any Unicode character, for `fc.string({ unit: ANY_CHARACTER })`. The unit `binary` of fast-check is the same, but first
 * makes a map of all 1.1 million characters, which takes a second and 100 MB in each process.
 */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES), numberOf);

function numberOf(character: unknown): number {
  if (typeof character !== 'string' || !/^\P{Cs}$/su.test(character)) throw new Error('not one character');
  const point = character.codePointAt(0)!;
  return point < FIRST_SURROGATE ? point : point - SURROGATES;
}
