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
