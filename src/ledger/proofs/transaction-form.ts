import type { Item } from '../proof-file/bytes.js';
import { bytesIn, bytesOf, type Members, objectsIn, quantityIn, typed, UnknownForm } from './json-fields.js';

/** The fields of each type of transaction in order, without its signature. */
const FIELDS: readonly ((members: Members) => Item[])[] = [
  (tx) => [quantityIn(tx, 'nonce'), quantityIn(tx, 'gasPrice'), ...call(tx)],
  // EIP-2930.
  (tx) => [...begin(tx), quantityIn(tx, 'gasPrice'), ...call(tx), accessList(tx)],
  // EIP-1559.
  (tx) => [...begin(tx), ...fees(tx), ...call(tx), accessList(tx)],
  // EIP-4844.
  (tx) => [
    ...begin(tx),
    ...fees(tx),
    ...call(tx),
    accessList(tx),
    quantityIn(tx, 'maxFeePerBlobGas'),
    words(tx, 'blobVersionedHashes'),
  ],
  // EIP-7702.
  (tx) => [...begin(tx), ...fees(tx), ...call(tx), accessList(tx), authorizations(tx)],
];

/** Returns the bytes of a transaction in JSON: type ‖ RLP, a legacy one RLP alone. Throws `UnknownForm`. */
export function transactionBytes(tx: Members): Uint8Array {
  const type = typeOf(tx);
  const fields = FIELDS[type];
  if (fields === undefined) throw new UnknownForm(`a transaction of the type 0x${type.toString(16)}`);
  const v = type === 0 ? quantityIn(tx, 'v') : parity(tx);
  return typed(type, [...fields(tx), v, quantityIn(tx, 'r'), quantityIn(tx, 's')]);
}

/** The type of a transaction or of its receipt; 0 for one that says none. Throws `UnknownForm`. */
export function typeOf({ type }: Members): number {
  const number = (type ?? null) === null ? 0 : Number(type);
  if (!Number.isInteger(number) || number < 0 || number > 0x7f)
    throw new UnknownForm('a type that is no byte');
  return number;
}

function begin(tx: Members): Item[] {
  return [quantityIn(tx, 'chainId'), quantityIn(tx, 'nonce')];
}

function fees(tx: Members): Item[] {
  return [quantityIn(tx, 'maxPriorityFeePerGas'), quantityIn(tx, 'maxFeePerGas')];
}

function call(tx: Members): Item[] {
  const to = (tx['to'] ?? null) === null ? new Uint8Array() : bytesIn(tx, 'to', 20);
  return [quantityIn(tx, 'gas'), to, quantityIn(tx, 'value'), bytesIn(tx, 'input')];
}

function accessList(tx: Members): Item {
  if ((tx['accessList'] ?? null) === null) return [];
  return objectsIn(tx, 'accessList').map((entry) => [
    bytesIn(entry, 'address', 20),
    words(entry, 'storageKeys'),
  ]);
}

function authorizations(tx: Members): Item {
  return objectsIn(tx, 'authorizationList').map((one) => [
    quantityIn(one, 'chainId'),
    bytesIn(one, 'address', 20),
    quantityIn(one, 'nonce'),
    parity(one),
    quantityIn(one, 'r'),
    quantityIn(one, 's'),
  ]);
}

/** Some nodes call it `v`. */
function parity(members: Members): Uint8Array {
  return quantityIn(members, members['yParity'] === undefined ? 'v' : 'yParity');
}

function words(members: Members, name: string): Item {
  const list = members[name];
  if (!Array.isArray(list)) throw new UnknownForm(`no list as ${name}`);
  return list.map((word) => bytesOf(word, name, 32));
}
