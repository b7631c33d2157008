import { RLP } from '@ethereumjs/rlp';
import secp256k1 from 'secp256k1';
import { type Hex, hexOf, keccak } from '../system/chain-bytes.js';
import type { SigningResult, UnsignedTransaction } from './port.js';

/** The fields of a signed transaction, its sender, and its bytes. */
export type DecodedTransaction = ReturnType<typeof decodeTransaction>;

/**
 * Thrown for bytes that are not a transaction as `signTransaction` makes them. The message completes a sentence after
 * "it".
 */
export class NoTransaction extends Error {
  override readonly name = 'NoTransaction';
}

/** A signature of secp256k1, as `ecdsaSign` gives it. */
export interface Signature {
  /** r and s, 32 bytes each. EIP-2 allows only the lower of the two possible values of `s`. */
  readonly signature: Uint8Array;
  /** Parity of the point's y: 0 or 1. */
  readonly recid: number;
}

/** Half the order of the curve. EIP-2 allows only the lower of the two possible values of `s`. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const EMPTY = new Uint8Array();
/** The first byte of an EIP-1559 transaction (EIP-2718). */
const DYNAMIC = 0x02;
/** A list begins with this byte or a higher one, and so does a legacy transaction. */
const LIST = 0xc0;
/** Number of items, the signature included. */
const LEGACY_ITEMS = 9;
const DYNAMIC_ITEMS = 12;
/** Index of the access list in an EIP-1559 transaction. */
const ACCESS_LIST = 8;

/** An item of RLP: bytes, or the list that the access list is. */
type Item = Uint8Array | never[];

/** The address of a private key of 32 bytes, in lower case. Throws an `Error` for one that the curve does not have. */
export function addressOf(privateKey: Uint8Array): Hex {
  return addressOfPublic(secp256k1.publicKeyCreate(privateKey, false));
}

/**
 * Signs a transaction without value for its chain: a legacy one (EIP-155) if it has a gas price, else one of EIP-1559.
 * `from` is ignored.
 */
export function signTransaction(transaction: UnsignedTransaction, privateKey: Uint8Array): SigningResult {
  const items = itemsOf(transaction);
  const signature = secp256k1.ecdsaSign(keccak(bytesToSign(transaction, items)), privateKey);
  return signedItems(transaction, items, signature);
}

/** The bytes whose keccak-256 a wallet signs. `from` is ignored. */
export function signingBytes(transaction: UnsignedTransaction): Uint8Array {
  return bytesToSign(transaction, itemsOf(transaction));
}

/** The transaction with a signature of its `signingBytes`. It is not checked whose it is: `decodeTransaction` recovers that. */
export function withSignature(transaction: UnsignedTransaction, signature: Signature): SigningResult {
  return signedItems(transaction, itemsOf(transaction), signature);
}

/**
 * Decodes a signed transaction and recovers its sender. Only the canonical encoding is accepted. Throws `NoTransaction`, also
 * for a transaction without a chain id, which every chain accepts.
 */
export function decodeTransaction(raw: string) {
  const bytes = bytesOfHex(raw);
  const { fields, toSign, r, s, recid } = decodedBytes(bytes);
  if (fields.to.length !== 2 && fields.to.length !== 42) {
    throw new NoTransaction('has no address as its receiver');
  }
  return {
    raw: hexOf(bytes),
    hash: hexOf(keccak(bytes)),
    from: senderOf(keccak(toSign), r, s, recid),
    ...fields,
  };
}

/**
 * The fields of a signed transaction of this service, to be signed again at another price. `from` is its sender, which is
 * not recovered from the signature. Throws `NoTransaction`.
 */
export function unsignedOf(raw: Hex, from: Hex): UnsignedTransaction {
  const { fields } = decodedBytes(bytesOfHex(raw));
  const { to, data, gasLimit, nonce, chainId } = fields;
  const call = { from, to, data, gasLimit, nonce: Number(nonce), chainId: Number(chainId) };
  if ('gasPrice' in fields) return { ...call, gasPrice: fields.gasPrice };
  const { maxFeePerGas, maxPriorityFeePerGas } = fields;
  return { ...call, maxFeePerGas, maxPriorityFeePerGas };
}

/** The fields in which a signed transaction can differ, with their names. */
const NAMES = {
  chainId: 'chain id',
  nonce: 'nonce',
  gasPrice: 'gas price',
  maxFeePerGas: 'maximum fee',
  maxPriorityFeePerGas: 'priority fee',
  gasLimit: 'gas limit',
  to: 'receiver',
  value: 'value',
  data: 'data',
  from: 'sender',
} as const;

/** A field in which a signed transaction can differ. */
export type Difference = (typeof NAMES)[keyof typeof NAMES] | 'type';

/** The name of the first field that differs between the two transactions; undefined if none does. */
export function differenceOf(asked: UnsignedTransaction, got: DecodedTransaction): Difference | undefined {
  if (isLegacy(asked) !== isLegacy(got)) return 'type';
  const wanted: Partial<Record<keyof typeof NAMES, unknown>> = { ...asked, value: 0n };
  const found: typeof wanted = got;
  const fields = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const field = fields.find((name) => String(wanted[name]) !== String(found[name]));
  return field && NAMES[field];
}

function isLegacy(transaction: object): boolean {
  return 'gasPrice' in transaction;
}

/** The items of a transaction in order, without its signature, and without the chain id of a legacy one. */
function itemsOf(transaction: UnsignedTransaction): Item[] {
  const { nonce, gasLimit, to, data } = transaction;
  const call = [bytesOf(gasLimit), bytesOfHex(to), EMPTY, bytesOfHex(data)];
  if ('gasPrice' in transaction) return [bytesOf(BigInt(nonce)), bytesOf(transaction.gasPrice), ...call];
  const { chainId, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const fees = [bytesOf(maxPriorityFeePerGas), bytesOf(maxFeePerGas)];
  return [bytesOf(BigInt(chainId)), bytesOf(BigInt(nonce)), ...fees, ...call, []];
}

/** The items; for a legacy transaction with the chain id in place of the signature (EIP-155). */
function bytesToSign(transaction: UnsignedTransaction, items: readonly Item[]): Uint8Array {
  if (!isLegacy(transaction)) return dynamic(items);
  return legacyToSign(items, BigInt(transaction.chainId));
}

function legacyToSign(items: readonly Item[], chainId: bigint): Uint8Array {
  return RLP.encode([...items, bytesOf(chainId), EMPTY, EMPTY]);
}

function dynamic(items: readonly Item[]): Uint8Array {
  const list = RLP.encode([...items]);
  const bytes = new Uint8Array(list.length + 1);
  bytes[0] = DYNAMIC;
  bytes.set(list, 1);
  return bytes;
}

function signedItems(
  transaction: UnsignedTransaction,
  items: readonly Item[],
  { signature, recid }: Signature,
): SigningResult {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(withoutZeros);
  const v = isLegacy(transaction) ? 35n + 2n * BigInt(transaction.chainId) + BigInt(recid) : BigInt(recid);
  const all = [...items, bytesOf(v), r!, s!];
  const raw = isLegacy(transaction) ? RLP.encode(all) : dynamic(all);
  return { raw: hexOf(raw), hash: hexOf(keccak(raw)) };
}

/** A signed transaction, its signature apart. `fields.to` is `0x` if it creates a contract. Amounts in wei and units of gas. */
function decodedBytes(bytes: Uint8Array) {
  const first = bytes[0] ?? 0;
  if (first >= LIST) return decodedLegacy(decodedList(bytes, LEGACY_ITEMS, 'a legacy'));
  if (first === DYNAMIC) return decodedDynamic(decodedList(bytes.subarray(1), DYNAMIC_ITEMS, 'an EIP-1559'));
  throw new NoTransaction('is of neither the legacy type nor that of EIP-1559');
}

function decodedLegacy(items: readonly Item[]) {
  const all = bytesIn(items);
  const [nonce, gasPrice, gasLimit, to, value, data, v, r, s] = all as Nine;
  const { chainId, recid } = chainOf(numberOf(v));
  const fields = {
    to: hexOf(to),
    data: hexOf(data),
    nonce: numberOf(nonce),
    value: numberOf(value),
    gasPrice: numberOf(gasPrice),
    gasLimit: numberOf(gasLimit),
    chainId,
  };
  return { fields, toSign: legacyToSign(all.slice(0, 6), chainId), r, s, recid };
}

function decodedDynamic(items: readonly Item[]) {
  const accessList = items[ACCESS_LIST]!;
  if (accessList instanceof Uint8Array || accessList.length > 0)
    throw new NoTransaction('has an access list');
  const all = bytesIn(items.toSpliced(ACCESS_LIST, 1));
  const [chainId, nonce, tip, maxFee, gasLimit, to, value, data, parity, r, s] = all as Eleven;
  const fields = {
    to: hexOf(to),
    data: hexOf(data),
    nonce: numberOf(nonce),
    value: numberOf(value),
    maxFeePerGas: numberOf(maxFee),
    maxPriorityFeePerGas: numberOf(tip),
    gasLimit: numberOf(gasLimit),
    chainId: numberOf(chainId),
  };
  const recid = numberOf(parity);
  if (recid > 1n) throw new NoTransaction('has a signature that no key can have made');
  return { fields, toSign: dynamic(items.slice(0, -3)), r, s, recid: Number(recid) };
}

type Nine = readonly [...Eight, Uint8Array];
type Eleven = readonly [...Eight, Uint8Array, Uint8Array, Uint8Array];
type Eight = readonly [...Four, ...Four];
type Four = readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array];

/** The items of a list of RLP in which no item, except an access list, is a list. */
function decodedList(bytes: Uint8Array, count: number, which: string): readonly Item[] {
  let list: unknown;
  try {
    list = RLP.decode(bytes);
  } catch {
    throw new NoTransaction('is not written as RLP has it');
  }
  if (!Array.isArray(list) || list.length !== count) {
    throw new NoTransaction(`does not have the ${count} fields of ${which} transaction`);
  }
  return list as readonly Item[];
}

function bytesIn(items: readonly Item[]): readonly Uint8Array[] {
  if (!items.every((item) => item instanceof Uint8Array)) throw new NoTransaction('has a list for a field');
  return items;
}

function chainOf(v: bigint): { readonly chainId: bigint; readonly recid: number } {
  if (v < 37n) throw new NoTransaction('is signed for no chain, so that any chain would take it');
  return { chainId: (v - 35n) / 2n, recid: Number((v - 35n) % 2n) };
}

function senderOf(hash: Uint8Array, r: Uint8Array, s: Uint8Array, recid: number): Hex {
  if (numberOf(s) > HALF_ORDER) throw new NoTransaction('has the higher one of its two signatures');
  if (numberOf(r) === 0n) throw new NoTransaction('has no signature');
  const signature = new Uint8Array(64);
  signature.set(r, 32 - r.length);
  signature.set(s, 64 - s.length);
  try {
    return addressOfPublic(secp256k1.ecdsaRecover(signature, recid, hash, false));
  } catch {
    throw new NoTransaction('has a signature that no key can have made');
  }
}

/** The address of a public key of 65 bytes, in lower case. */
export function addressOfPublic(key: Uint8Array): Hex {
  return hexOf(keccak(key.subarray(1)).subarray(12));
}

function numberOf(bytes: Uint8Array): bigint {
  if (bytes.length > 32 || bytes[0] === 0) {
    throw new NoTransaction('has a number with zeros in front, or of more than 32 bytes');
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
  if (!/^0x(?:[0-9a-f]{2})*$/i.test(text)) throw new NoTransaction('is not in hexadecimal');
  return Buffer.from(text.slice(2), 'hex');
}
