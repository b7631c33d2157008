import { Refusal } from '../../errors.js';

/** Maximum number of bytes of the length in front of a block. */
const LONGEST_LENGTH = 5;

/**
 * Returns the length of a snappy block after inflating, bytes, as the block says it. Throws `Refusal('unreadable')` for bytes
 * that do not begin with a length of 32 bits.
 */
export function inflatedLength(block: Uint8Array): number {
  let length = 0;
  for (let i = 0; i < LONGEST_LENGTH; i += 1) {
    const byte = block[i];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) {
      if (length > 0xff_ff_ff_ff) break;
      return length;
    }
  }
  throw notSnappy();
}

/** Returns the refusal of bytes that are no block of snappy. */
export function notSnappy(cause?: unknown): Refusal {
  return new Refusal('unreadable', 'the body is not a block of snappy, or is cut short', { cause });
}
