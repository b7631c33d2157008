import { jsonIn } from '../../untrusted/json-source.js';
import { Faults, type Place, below } from './faults.js';

/** Deepest nesting of objects and arrays in content. Geometries nest deeply. */
export const DEEPEST = 500;

/**
 * Parses a text whose content is hashed: JSON without ambiguities for other readers (I-JSON, RFC 7493). Throws as `jsonIn`,
 * and `Refusal('bad-request')` that names each second member of one name in an object, and each integer beyond ±(2^53-1).
 */
export function iJsonIn(text: string): unknown {
  const value = jsonIn(text, DEEPEST);
  const faults = new Faults();
  addAmbiguities(text, faults);
  faults.refuse();
  return value;
}

const REPEATED = 'must be given once: two members of one object have this name';
const UNSAFE = `must not be an integer beyond ±${Number.MAX_SAFE_INTEGER}, which readers round: send it as a string`;

/** An object or an array that the scan is in. */
interface Container {
  readonly place: Place;
  /** The names so far, unescaped, each with the number of its members; undefined in an array. */
  readonly names: Map<string, number> | undefined;
  /** The current member's name or element's index; undefined before the name of a member. */
  at: string | number | undefined;
}

/** Adds the faults of a text that JSON.parse accepts: only brackets, commas, strings and numbers are recognised. */
function addAmbiguities(text: string, faults: Faults): void {
  const open: Container[] = [];
  let inside: Container | undefined;
  const place = (): Place => (inside === undefined ? undefined : below(inside.place, inside.at ?? ''));
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charCodeAt(i);
    if (char === 0x22) {
      const end = endOfString(text, i);
      if (inside !== undefined && inside.at === undefined) {
        addName(nameIn(text, i, end), inside, faults);
      }
      i = end - 1;
    } else if (char === 0x2c) {
      if (inside !== undefined) inside.at = typeof inside.at === 'number' ? inside.at + 1 : undefined;
    } else if (char === 0x7b || char === 0x5b) {
      const isObject = char === 0x7b;
      inside = {
        place: place(),
        names: isObject ? new Map<string, number>() : undefined,
        at: isObject ? undefined : 0,
      };
      open.push(inside);
    } else if (char === 0x7d || char === 0x5d) {
      open.pop();
      inside = open.at(-1);
    } else if (char === 0x2d || isDigit(char)) {
      const end = endOfNumber(text, i);
      if (isUnsafe(text, i, end)) faults.add(place(), UNSAFE);
      i = end - 1;
    }
  }
}

function addName(name: string, object: Container, faults: Faults): void {
  object.at = name;
  const members = (object.names?.get(name) ?? 0) + 1;
  object.names?.set(name, members);
  // The third member is not another fault.
  if (members === 2) faults.add(below(object.place, name), REPEATED);
}

/** Returns the text of a string between its quotes, unescaped. */
function nameIn(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name;
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; ; i += 1) {
    const char = text.charCodeAt(i);
    if (char === 0x22) return i + 1;
    if (char === 0x5c) i += 1;
  }
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

/** True for digits, `+`, `-`, `.`, `e` and `E`. */
function isOfNumber(char: number): boolean {
  return isDigit(char) || char === 0x2b || char === 0x2d || char === 0x2e || (char | 0x20) === 0x65;
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

/** Digits of the largest safe integer. */
const SAFE_DIGITS = String(Number.MAX_SAFE_INTEGER).length;

function isUnsafe(text: string, start: number, end: number): boolean {
  if (end - start < SAFE_DIGITS) return false;
  const number = text.slice(start, end);
  return !/[.eE]/.test(number) && !Number.isSafeInteger(Number(number));
}
