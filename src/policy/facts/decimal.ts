/** Digits with an optional fraction and exponent; no sign before them, no blanks, no hexadecimal. */
const DECIMAL = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The percentage that a string or a JSON number stands for, 0..100; undefined for anything else. */
export function percentage(value: unknown): number | undefined {
  const number = typeof value === 'string' ? (DECIMAL.test(value) ? Number(value) : NaN) : value;
  if (typeof number !== 'number' || !(number >= 0 && number <= 100)) return undefined;
  // A JSON -0 is a zero like any other.
  return number + 0;
}
