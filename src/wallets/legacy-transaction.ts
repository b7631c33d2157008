import { RLP } from '@ethereumjs/rlp';
import secp256k1 from 'secp256k1';
import { type Hex, hexOf, keccak } from '../system/chain-bytes.js';
import type { SigningResult, UnsignedTransaction } from './port.js';

/** The fields of a signed transaction, its sender, and its bytes. */
export type DecodedTransaction = ReturnType<typeof decodeLegacy>;

/** Thrown for bytes that are not a legacy transaction signed for one chain. The message completes a sentence after "it". */
export class NoLegacyTransaction extends Error {
  override readonly name = 'NoLegacyTransaction';
}

/** Half the order of the curve. EIP-2 allows only the lower of the two possible values of `s`. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const EMPTY = new Uint8Array();
const FIELDS = 9;

/** The address of a private key of 32 bytes, in lower case. Throws an `Error` for one that the curve does not have. */
export function addressOf(privateKey: Uint8Array): Hex {
  return addressOfPublic(secp256k1.publicKeyCreate(privateKey, false));
}

/** Signs a legacy transaction without value for its chain (EIP-155). `from` is ignored. */
export function signLegacy(transaction: UnsignedTransaction, privateKey: Uint8Array): SigningResult {
  const fields = fieldsOf(transaction);
  const { signature, recid } = secp256k1.ecdsaSign(signingHash(fields, transaction.chainId), privateKey);
  const v = 35n + 2n * BigInt(transaction.chainId) + BigInt(recid);
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(withoutZeros);
  const raw = RLP.encode([...fields, bytesOf(v), r!, s!]);
  return { raw: hexOf(raw), hash: hexOf(keccak(raw)) };
}

/**
 * Decodes a signed legacy transaction and recovers its sender. Only the canonical encoding is accepted. Throws
 * `NoLegacyTransaction`, also for a transaction without a chain id, which every chain accepts.
 */
export function decodeLegacy(raw: string) {
  const bytes = bytesOfHex(raw);
  const fields = decodedList(bytes);
  const { recid, ...decoded } = decodedFields(fields);
  if (decoded.to.length !== 2 && decoded.to.length !== 42) {
    throw new NoLegacyTransaction('has no address as its receiver');
  }
  const signed = signingHash(fields.slice(0, 6), decoded.chainId);
  const from = senderOf(signed, fields[7], fields[8], recid);
  return { raw: hexOf(bytes), hash: hexOf(keccak(bytes)), from, ...decoded };
}

/**
 * The fields of a signed transaction of this service, to be signed again at another price. `from` is its sender, which is
 * not recovered from the signature. Throws `NoLegacyTransaction`.
 */
export function unsignedOf(raw: Hex, from: Hex): UnsignedTransaction {
  const { to, data, nonce, gasPrice, gasLimit, chainId } = decodedFields(decodedList(bytesOfHex(raw)));
  return { from, to, data, nonce: Number(nonce), gasPrice, gasLimit, chainId: Number(chainId) };
}

/** The fields of a transaction, in wei and units of gas. `to` is `0x` for a transaction that creates a contract. */
function decodedFields([nonce, gasPrice, gasLimit, to, value, data, v]: Nine<Uint8Array>) {
  return {
    to: hexOf(to),
    data: hexOf(data),
    nonce: numberOf(nonce),
    value: numberOf(value),
    gasPrice: numberOf(gasPrice),
    gasLimit: numberOf(gasLimit),
    ...chainOf(numberOf(v)),
  };
}

/** The fields in which a signed transaction can differ, with their names. */
const NAMES = {
  chainId: 'chain id',
  nonce: 'nonce',
  gasPrice: 'gas price',
  gasLimit: 'gas limit',
  to: 'receiver',
  value: 'value',
  data: 'data',
  from: 'sender',
} as const;

/** A field in which a signed transaction can differ. */
export type Difference = (typeof NAMES)[keyof typeof NAMES];

/** The name of the first field that differs between the two transactions; undefined if none does. */
export function differenceOf(asked: UnsignedTransaction, got: DecodedTransaction): Difference | undefined {
  const wanted = { ...asked, value: 0n };
  const fields = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const field = fields.find((name) => String(wanted[name]) !== String(got[name]));
  return field && NAMES[field];
}

/** Nonce, gas price, gas limit, receiver, value, data, and the signature: v, r, s. */
type Nine<T> = readonly [T, T, T, T, T, T, T, T, T];

function fieldsOf(transaction: UnsignedTransaction): Uint8Array[] {
  const { nonce, gasPrice, gasLimit, to, data } = transaction;
  return [
    bytesOf(BigInt(nonce)),
    bytesOf(gasPrice),
    bytesOf(gasLimit),
    bytesOfHex(to),
    EMPTY,
    bytesOfHex(data),
  ];
}

/** The hash that is signed: the fields, with the chain id in place of the signature (EIP-155). */
function signingHash(fields: readonly Uint8Array[], chainId: number | bigint): Uint8Array {
  return keccak(RLP.encode([...fields, bytesOf(BigInt(chainId)), EMPTY, EMPTY]));
}

function decodedList(bytes: Uint8Array): Nine<Uint8Array> {
  if (bytes.length === 0 || bytes[0]! < 0xc0) throw new NoLegacyTransaction('is not of the legacy type');
  let list: unknown;
  try {
    list = RLP.decode(bytes);
  } catch {
    throw new NoLegacyTransaction('is not written as RLP has it');
  }
  if (!Array.isArray(list) || list.length !== FIELDS || !list.every((item) => item instanceof Uint8Array)) {
    throw new NoLegacyTransaction(`has not the ${FIELDS} fields of a legacy transaction`);
  }
  return list as unknown as Nine<Uint8Array>;
}

function chainOf(v: bigint): { readonly chainId: bigint; readonly recid: number } {
  if (v < 37n) throw new NoLegacyTransaction('is signed for no chain, so that any chain would take it');
  return { chainId: (v - 35n) / 2n, recid: Number((v - 35n) % 2n) };
}

function senderOf(hash: Uint8Array, r: Uint8Array, s: Uint8Array, recid: number): Hex {
  if (numberOf(s) > HALF_ORDER) throw new NoLegacyTransaction('has the higher one of its two signatures');
  if (numberOf(r) === 0n) throw new NoLegacyTransaction('has no signature');
  const signature = new Uint8Array(64);
  signature.set(r, 32 - r.length);
  signature.set(s, 64 - s.length);
  try {
    return addressOfPublic(secp256k1.ecdsaRecover(signature, recid, hash, false));
  } catch {
    throw new NoLegacyTransaction('has a signature that nobody can have made');
  }
}

function addressOfPublic(key: Uint8Array): Hex {
  return hexOf(keccak(key.subarray(1)).subarray(12));
}

function numberOf(bytes: Uint8Array): bigint {
  if (bytes.length > 32 || bytes[0] === 0) {
    throw new NoLegacyTransaction('has a number with zeros in front, or of more than 32 bytes');
  }
  return bytes.length === 0 ? 0n : BigInt(hexOf(bytes));
}

function bytesOf(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY;
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
}

function bytesOfHex(text: string): Uint8Array {
  if (!/^0x(?:[0-9a-f]{2})*$/i.test(text)) throw new NoLegacyTransaction('is not in hexadecimal');
  return Buffer.from(text.slice(2), 'hex');
}
