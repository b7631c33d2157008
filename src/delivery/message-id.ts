import { createHash } from 'node:crypto';

/** Digits of the time in an id, and digits of the hash. */
const DIGITS = { time: 12, hash: 20 };

/**
 * Returns the id of a message: `msg_`, the time `at` (ms since the epoch) and the hash of `of`, both in hexadecimal. The
 * ids of later messages sort behind those of earlier ones. The same time and text have the same id.
 */
export function messageId(at: number, of: string): string {
  const time = Math.max(0, Math.trunc(at)).toString(16).padStart(DIGITS.time, '0');
  return `msg_${time}${createHash('sha256').update(of).digest('hex').slice(0, DIGITS.hash)}`;
}

/** Returns the time in the id of a message, ms since the epoch; NaN for an id without one. */
export function timeOfMessageId(id: string): number {
  return Number.parseInt(/^msg_([0-9a-f]{12})/.exec(id)?.[1] ?? '', 16);
}
