import { uncompressSync } from 'snappy';
import { notSnappy } from './snappy-length.js';

/**
 * Inflates a snappy block (not the framed format), which has as many bytes as it says, or is refused. Check
 * `inflatedLength` before. Throws `Refusal('unreadable')`.
 */
export function inflated(block: Buffer): Buffer {
  try {
    return uncompressSync(block, { asBuffer: true }) as Buffer;
  } catch (cause) {
    throw notSnappy(cause);
  }
}
