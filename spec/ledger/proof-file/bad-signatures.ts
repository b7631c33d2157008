import { bad, CREATE } from './bad-vector.js';
import { ORDER, SIGNER } from './made-block.js';
import { firstX, otherSignature, signInfinitely, SMALLEST_X } from './other-signature.js';
import type { Vector } from './vectors.js';

/** Makes the vectors of signatures whose numbers are out of their ranges, or that no key has made. */
export async function badSignatures(): Promise<readonly Vector[]> {
  const outside = (name: string, about: string, r: bigint, s: bigint): Promise<Vector> => {
    const { record, from } = otherSignature(r, s);
    return bad('signature', name, about, { ...CREATE, record }, (file) => ({ ...file, from: from() }));
  };
  const none = (step: string, name: string, about: string, r: bigint, s = 1n): Promise<Vector> =>
    bad(step, name, about, { ...CREATE, record: { type: 2, sign: () => [0n, r, s] } }, (file) => ({
      ...file,
      from: SIGNER,
    }));
  return Promise.all([
    outside('s-of-0', 's is 0', SMALLEST_X, 0n),
    outside('s-over-half', 's is the next integer after half of n', SMALLEST_X, ORDER / 2n + 1n),
    outside('r-over-n', 'r is x of a point, and larger than n', firstX(ORDER + 1n, true), 1n),
    none('signature', 'r-of-0', 'r is 0', 0n),
    none('signature', 'r-of-n', 'r is n', ORDER),
    none('signature', 'r-without-point', 'no point has r as its x', firstX(1n, false)),
    none('transaction', 'r-of-33-bytes', 'r has 33 bytes', 2n ** 256n + SMALLEST_X),
    none('transaction', 's-of-33-bytes', 's has 33 bytes', SMALLEST_X, 2n ** 256n + 1n),
    bad('signature', 'key-at-infinity', 'the recovered point is that at infinity', {
      ...CREATE,
      record: { type: 2, sign: signInfinitely },
    }),
  ]);
}
