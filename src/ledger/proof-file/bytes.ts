import { RLP } from '@ethereumjs/rlp';
import { keccak_256 } from '@noble/hashes/sha3.js';

// Proof files are verified in the browser too, which has no WebAssembly under the page's policy: hence this keccak-256 and not
// that of src/system/chain-bytes.ts.

/** Hexadecimal digits after `0x`, in lower case. */
export type Hex = `0x${string}`;

/** What RLP encodes: bytes, or a list. */
export type Item = Uint8Array | readonly Item[];

/** Returns bytes as chains write them. */
export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the bytes of an even number of hexadecimal digits. */
export function bytesOf(hex: Hex): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 - 1 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i + 2, 2 * i + 4), 16),
  );
}

/** Returns the keccak-256 hash, 32 bytes, of bytes or of the UTF-8 encoding of a text. */
export function keccak(content: Uint8Array | string): Uint8Array {
  return keccak_256(typeof content === 'string' ? new TextEncoder().encode(content) : content);
}

/** Deepest nesting of lists. Blocks have 4 levels; without a limit it would be that of the stack. */
const DEEPEST = 64;

/**
 * Returns the items of a list. Throws an `Error` for bytes that are not the one RLP encoding of a list, and for lists in lists
 * over `DEEPEST` levels.
 */
export function listIn(bytes: Uint8Array): readonly Item[] {
  const list = listOf(RLP.decode(bytes));
  if (isDeeper(list, DEEPEST)) throw new Error('lists are nested too deep');
  return list;
}

/** True if an item has more levels of lists than `levels`. */
function isDeeper(item: Item, levels: number): boolean {
  return !(item instanceof Uint8Array) && (levels === 0 || item.some((one) => isDeeper(one, levels - 1)));
}

/** Returns the item as a list. Throws an `Error` if it is none. */
export function listOf(item: Item | undefined): readonly Item[] {
  if (item === undefined || item instanceof Uint8Array) throw new Error('there is no list');
  return item;
}

/** Returns the item as bytes. Throws an `Error` for a list. */
export function bytesIn(item: Item | undefined): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new Error('there are no bytes');
  return item;
}

/** Returns the item as an integer. Throws an `Error` if it has zeros in front, or more than 32 bytes. */
export function integerIn(item: Item | undefined): bigint {
  const bytes = bytesIn(item);
  if (bytes[0] === 0 || bytes.length > 32) throw new Error('there is no integer');
  return bytes.length === 0 ? 0n : BigInt(hexOf(bytes));
}

/** Returns an integer as RLP has it: its bytes, without zeros in front. */
export function bytesOfInteger(integer: bigint): Uint8Array {
  const digits = integer === 0n ? '' : integer.toString(16);
  return bytesOf(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`);
}

/** Returns the bytes of all, one after the other. */
export function joined(...all: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(all.reduce((length, one) => length + one.length, 0));
  let at = 0;
  for (const one of all) {
    bytes.set(one, at);
    at += one.length;
  }
  return bytes;
}

/** Returns true for the same bytes. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
