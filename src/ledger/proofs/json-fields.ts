import type { Item } from '../proof-file/bytes.js';
import { rlpOf } from '../proof-file/rlp-bytes.js';

/** JSON of a node, unread. */
export type Members = Readonly<Record<string, unknown>>;

/** Thrown for a block in a form that is not known. The message completes a sentence after "the chain has". */
export class UnknownForm extends Error {
  override readonly name = 'UnknownForm';
}

const EMPTY = new Uint8Array();

/** Bytes in hexadecimal digits; of a length if one is given. Throws `UnknownForm`. */
export function bytesIn(members: Members, name: string, length?: number): Uint8Array {
  return bytesOf(members[name], name, length);
}

/** As `bytesIn`, for a value. */
export function bytesOf(value: unknown, name: string, length?: number): Uint8Array {
  const digits = typeof value === 'string' && /^0x/i.test(value) ? value.slice(2) : '?';
  const bytes = Buffer.from(digits, 'hex');
  // Decoding ends before what is no digit.
  if (2 * bytes.length !== digits.length) throw new UnknownForm(`no bytes as ${name}`);
  if (length !== undefined && bytes.length !== length) throw new UnknownForm(`no ${length} bytes as ${name}`);
  return bytes;
}

/** A quantity as RLP has it: without leading zeros, 0 as no bytes. Throws `UnknownForm`. */
export function quantityIn(members: Members, name: string): Uint8Array {
  const value = members[name];
  if (typeof value !== 'string' || !/^0x[\da-f]{1,64}$/i.test(value))
    throw new UnknownForm(`no quantity as ${name}`);
  const digits = value.slice(2).replace(/^0+/, '');
  return digits === '' ? EMPTY : Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

/** The objects in an array. Throws `UnknownForm`. */
export function objectsIn(members: Members, name: string): readonly Members[] {
  const value = members[name];
  if (!Array.isArray(value) || !value.every(isMembers)) throw new UnknownForm(`no list as ${name}`);
  return value;
}

/** True for an object of JSON. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** Bytes of EIP-2718: the type, if any, and the RLP of the fields. */
export function typed(type: number, fields: readonly Item[]): Uint8Array {
  const rlp = pooledRlp(fields);
  return type === 0 ? rlp : Buffer.concat([Uint8Array.of(type), rlp]);
}

/** Returns the RLP of an item in a part of a buffer of Node.js: a buffer for each item takes longer than the encoding. */
export function pooledRlp(item: Item): Uint8Array {
  return rlpOf(item, (size) => Buffer.allocUnsafe(size));
}
