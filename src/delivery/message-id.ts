import { hash } from 'node:crypto';

/** Hexadecimal digits of the parts of an id. `hash` without an order, `rest` with one. */
const DIGITS = { time: 12, number: 6, line: 4, rest: 10, hash: 20 };
const LINE = new RegExp(`msg_[0-9a-f]{${DIGITS.time + DIGITS.number}}([0-9a-f]{${DIGITS.line}})`);
const PLACE = new RegExp(
  `^msg_[0-9a-f]{${DIGITS.time}}([0-9a-f]{${DIGITS.number}})[0-9a-f]{${DIGITS.line}}([0-9a-f]{${DIGITS.rest}})`,
);

/** The place of a message among those of its line, such as a subscription. */
export interface PlaceInLine {
  readonly line: string;
  /** Grows with each message of the line. The last 24 bits count. */
  readonly number: number;
}

/**
 * Returns the id of a message: `msg_`, the time `at` (ms since the epoch), the number in its line, a hash of the line, and a
 * hash of `of`, all in hexadecimal. Without a place, the hash of `of` alone follows the time. The ids of later messages sort
 * after those of earlier ones; those of one line also within a ms. The same arguments have the same id.
 */
export function messageId(at: number, of: string, place?: PlaceInLine): string {
  const time = hex(Math.max(0, Math.trunc(at)), DIGITS.time);
  const hashed = hashOf(of);
  if (place === undefined) return `msg_${time}${hashed.slice(0, DIGITS.hash)}`;
  const number = hex(place.number, DIGITS.number).slice(-DIGITS.number);
  return `msg_${time}${number}${shortLine(place.line)}${hashed.slice(0, DIGITS.rest)}`;
}

/** Returns what `lineOfMessageId` finds in the ids of a line. */
export function shortLine(line: string): string {
  return hashOf(line).slice(0, DIGITS.line);
}

/**
 * True if the id of a message is of what `of` returns for the number in the id. False also for a number of more than 24 bits, of
 * which the id has the last.
 */
export function isMessageOf(id: string, of: (number: number) => string): boolean {
  const [, number, rest] = PLACE.exec(id) ?? [];
  return number !== undefined && hashOf(of(Number.parseInt(number, 16))).startsWith(rest!);
}

/** Returns the time in the id of a message, ms since the epoch; NaN for an id without one. */
export function timeOfMessageId(id: string): number {
  return Number.parseInt(/^msg_([0-9a-f]{12})/.exec(id)?.[1] ?? '', 16);
}

/** Returns the line of a message by its id, also in a longer text. Few lines have the same one. */
export function lineOfMessageId(id: string): string {
  return LINE.exec(id)?.[1] ?? id;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function hashOf(text: string): string {
  return hash('sha256', text);
}
