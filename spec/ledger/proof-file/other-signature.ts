import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Hex } from '../../../src/system/chain-bytes.js';
import { accountOf, type MadeRecord, ORDER, type Signature } from './made-block.js';

const { Point } = secp256k1;
/** The smallest x that a point has. */
export const SMALLEST_X = 1n;

/** A record with a signature of chosen numbers, and the account that a verifier recovers from it. */
interface OtherSignature {
  readonly record: Pick<MadeRecord, 'type' | 'sign'>;
  /** Returns the account that a verifier without checks of the ranges recovers. Only after the record was signed. */
  readonly from: () => Hex;
}

/** Signs with these numbers, whether or not they are in their ranges. */
export function otherSignature(r: bigint, s: bigint): OtherSignature {
  let from: Hex | undefined;
  return {
    record: {
      type: 2,
      sign: (digest): Signature => {
        from = accountOf(keyOf(digest, r, s));
        return [0n, r, s];
      },
    },
    from: () => from!,
  };
}

/** Recovers a key as SEC 1, 4.1.6, from the point whose y is even. */
function keyOf(digest: bigint, r: bigint, s: bigint): Uint8Array {
  const point = pointAt(r)!;
  const inverse = Point.Fn.inv(Point.Fn.create(r));
  const factor = (n: bigint): bigint => Point.Fn.create(n * inverse);
  return point
    .multiplyUnsafe(factor(s))
    .add(Point.BASE.multiplyUnsafe(factor(-digest)))
    .toBytes(false);
}

/** Returns the point with this x and an even y; undefined if there is none. */
function pointAt(x: bigint) {
  try {
    return Point.fromHex(`02${x.toString(16).padStart(64, '0')}`);
  } catch {
    return undefined;
  }
}

/** Returns the first x from `least` that a point has, or that none has. */
export function firstX(least: bigint, isOfPoint: boolean): bigint {
  for (let x = least; ; x += 1n) if ((pointAt(x) !== undefined) === isOfPoint) return x;
}

/** Signs so that the recovered key is the point at infinity. */
export function signInfinitely(digest: bigint): Signature {
  for (let k = 2n; ; k += 1n) {
    const { x, y } = Point.BASE.multiply(k).toAffine();
    const s = Point.Fn.create(digest * Point.Fn.inv(k));
    if (s <= ORDER / 2n) return [y % 2n, x, s];
  }
}
