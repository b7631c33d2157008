import { SELECTOR, TOPIC } from '../../chain/timestamp-call.js';
import { keccak } from '../../system/chain-bytes.js';
import type { Item } from '../proof-file/bytes.js';
import { bytesIn, bytesOf, type Members, objectsIn, quantityIn, typed, UnknownForm } from './json-fields.js';
import { typeOf } from './transaction-form.js';

/** Types whose receipts have the four fields of EIP-658. */
const LAST_TYPE = 4;

/** Returns the bytes of a receipt in JSON: type ‖ RLP, of a legacy transaction RLP alone. Throws `UnknownForm`. */
export function receiptBytes(receipt: Members): Uint8Array {
  const type = typeOf(receipt);
  if (type > LAST_TYPE) throw new UnknownForm(`a receipt of the type 0x${type.toString(16)}`);
  const logs = objectsIn(receipt, 'logs').map((log) => [
    bytesIn(log, 'address', 20),
    topicsOf(log),
    bytesIn(log, 'data'),
  ]);
  return typed(type, [
    quantityIn(receipt, 'status'),
    quantityIn(receipt, 'cumulativeGasUsed'),
    bytesIn(receipt, 'logsBloom', 256),
    logs,
  ]);
}

const SUCCESS = Uint8Array.of(1);
const NOTHING = new Uint8Array();
const EVENT = bytesOf(TOPIC, 'topic');
/** A legacy transaction begins with this byte or a higher one. */
const LIST = 0xc0;
/** In the RLP of a call: the prefix of an address, and after the address no value, the prefix of 68 bytes, and the selector. */
const ADDRESS_PREFIX = 0x94;
const CALL = bytesOf(`0x80b844${SELECTOR.slice(2)}`, 'call');

/**
 * Returns the bytes of the receipt of a transaction that called `timestamp` and caused nothing but its event. `gas`: the
 * `cumulativeGasUsed` of the receipt. Throws `UnknownForm`.
 */
export function eventReceiptBytes(transaction: Uint8Array, gas: Uint8Array): Uint8Array {
  const bytes = Buffer.from(transaction.buffer, transaction.byteOffset, transaction.byteLength);
  const at = bytes.indexOf(CALL);
  if (at < 21 || bytes[at - 21] !== ADDRESS_PREFIX) throw new UnknownForm('another call');
  const type = bytes[0]! >= LIST ? 0 : bytes[0]!;
  const to = bytes.subarray(at - 20, at);
  const first = at + CALL.length;
  const args = [bytes.subarray(first, first + 32), bytes.subarray(first + 32, first + 64)];
  const bloom = contractBloom(to).slice();
  for (const arg of args) addToBloom(bloom, arg);
  return typed(type, [SUCCESS, gas, bloom, [[to, [EVENT, ...args], NOTHING]]]);
}

/**
 * Sets the bits of an address or a topic in the bloom of logs (yellow paper, 4.3.1): the lowest 11 bits of each of the first three
 * pairs of bytes of its hash are the number of one.
 */
function addToBloom(bloom: Uint8Array, one: Uint8Array): void {
  const hash = keccak(one);
  for (let at = 0; at < 6; at += 2) {
    const bit = ((hash[at]! << 8) | hash[at + 1]!) & 2047;
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
  }
}

/** The bloom of the event of the contract that was asked for last: most transactions call the same. */
let lastBloom = { address: NOTHING, bloom: NOTHING };

function contractBloom(address: Uint8Array): Uint8Array {
  if (Buffer.compare(lastBloom.address, address) !== 0) {
    const bloom = new Uint8Array(256);
    addToBloom(bloom, EVENT);
    addToBloom(bloom, address);
    // The bytes of the transaction are not kept.
    lastBloom = { address: Uint8Array.from(address), bloom };
  }
  return lastBloom.bloom;
}

function topicsOf({ topics }: Members): Item {
  if (!Array.isArray(topics)) throw new UnknownForm('a log without topics');
  return topics.map((topic) => bytesOf(topic, 'topics', 32));
}
