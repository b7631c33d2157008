import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  bytesIn,
  bytesOfInteger,
  type Hex,
  hexOf,
  integerIn,
  type Item,
  joined,
  keccak,
  listIn,
} from './bytes.js';
import { rlpOf } from './rlp-bytes.js';

/** A transaction that calls a contract. */
export interface SignedCall {
  /** Its first byte; 0 for a legacy one. */
  readonly type: number;
  readonly hash: Hex;
  readonly chainId: bigint;
  readonly to: Hex;
  readonly data: Hex;
  /** Recovers the account that has signed it. Throws an `Error` for a signature that no key can have made. */
  signer(): Hex;
}

/** Number of fields of a type, its signature included, and the index of the receiver, which the value and the data follow. */
const TYPES: ReadonlyMap<number, { readonly fields: number; readonly to: number }> = new Map([
  // EIP-155, EIP-2930, EIP-1559, EIP-4844, EIP-7702.
  [0, { fields: 9, to: 3 }],
  [1, { fields: 11, to: 4 }],
  [2, { fields: 12, to: 5 }],
  [3, { fields: 14, to: 5 }],
  [4, { fields: 13, to: 5 }],
]);

/** A list begins with this byte or a higher one: that of a legacy transaction, or of its receipt. */
const LIST = 0xc0;
const NOTHING = new Uint8Array();

/** Splits the value of a trie into its type and its list (EIP-2718). */
export function typed(value: Uint8Array): { readonly type: number; readonly list: Uint8Array } {
  const first = value[0] ?? 0;
  return first >= LIST ? { type: 0, list: value } : { type: first || -1, list: value.subarray(1) };
}

/** Decodes the signed transaction in the value of a trie. Throws an `Error` for another form. */
export function signedCall(value: Uint8Array): SignedCall {
  const { type, list } = typed(value);
  const form = TYPES.get(type);
  if (form === undefined) throw new Error('another type');
  const fields = listIn(list);
  if (fields.length !== form.fields) throw new Error('another number of fields');
  const v = integerIn(fields.at(-3));
  // Without a chain id in it, every chain takes a legacy transaction.
  if (type === 0 && v < 35n) throw new Error('no chain');
  const chainId = type === 0 ? (v - 35n) / 2n : integerIn(fields[0]);
  const parity = type === 0 ? (v - 35n) % 2n : v;
  const [r, s] = [integerIn(fields.at(-2)), integerIn(fields.at(-1))];
  return {
    type,
    hash: hexOf(keccak(value)),
    chainId,
    to: hexOf(bytesIn(fields[form.to])),
    data: hexOf(bytesIn(fields[form.to + 2])),
    signer: () => signerOf(keccak(signedBytes(type, fields.slice(0, -3), chainId)), { r, s, parity }),
  };
}

function signedBytes(type: number, fields: readonly Item[], chainId: bigint): Uint8Array {
  if (type === 0) return rlpOf([...fields, bytesOfInteger(chainId), NOTHING, NOTHING]);
  return joined(Uint8Array.of(type), rlpOf(fields));
}

interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  readonly parity: bigint;
}

function signerOf(hash: Uint8Array, { r, s, parity }: Signature): Hex {
  // EIP-2 allows only the lower one of the two possible values of `s`.
  if (parity > 1n || s > secp256k1.Point.CURVE().n / 2n) throw new Error('another form');
  const key = new secp256k1.Signature(r, s, Number(parity)).recoverPublicKey(hash);
  return hexOf(keccak(key.toBytes(false).subarray(1)).subarray(12));
}
