import { typedNumber } from '../ui/field.js';

/** Lengths of the units, s, by the beginning of their names. */
const UNITS = [
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
] as const;

const PART = String.raw`(\d+(?:\.\d+)?)\s*(s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)\s*`;
const WHOLE = new RegExp(`^\\s*(?:${PART})+$`, 'i');

/** Returns the seconds of a time as people write it, `10 min`, `1 h 30 min`, `90 s` or `90`; any other text as it is. */
export function typedSeconds(text: string): number | string {
  if (!WHOLE.test(text)) return typedNumber(text);
  const parts = [...text.matchAll(new RegExp(PART, 'gi'))];
  const seconds = parts.reduce((sum, [, count, unit = '']) => {
    const [, length] = UNITS.find(([name]) => unit.toLowerCase().startsWith(name))!;
    return sum + Number(count) * length;
  }, 0);
  return Math.round(seconds * 1_000) / 1_000;
}
