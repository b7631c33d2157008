import { RLP } from '@ethereumjs/rlp';
import { TOPIC } from '../../chain/timestamp-call.js';
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
const EVENT_BLOOM = bloomOf([EVENT]);
/** A legacy transaction begins with this byte or a higher one. */
const LIST = 0xc0;
/** Where the arguments of a call of `timestamp` begin, and where it ends. */
const [FIRST, SECOND, END] = [4, 36, 68];

/**
 * Returns the bytes of the receipt of a transaction that called `timestamp` and caused nothing but its event. `gas`: the
 * `cumulativeGasUsed` of the receipt. Throws `UnknownForm`.
 */
export function eventReceiptBytes(transaction: Uint8Array, gas: Uint8Array): Uint8Array {
  const type = transaction[0]! >= LIST ? 0 : transaction[0]!;
  const fields = RLP.decode(type === 0 ? transaction : transaction.subarray(1));
  // The receiver, the value and the data.
  const [to, , data] = fields.slice(type === 0 ? 3 : 5);
  if (!(to instanceof Uint8Array && data instanceof Uint8Array && data.length === END))
    throw new UnknownForm('another call');
  const args = [data.subarray(FIRST, SECOND), data.subarray(SECOND)];
  const bloom = bloomOf([to, ...args], EVENT_BLOOM);
  return typed(type, [SUCCESS, gas, bloom, [[to, [EVENT, ...args], NOTHING]]]);
}

/**
 * The bloom of the addresses and topics of logs (yellow paper, 4.3.1), added to another one. The hash of each sets three bits: the
 * lowest 11 bits of each of its first three pairs of bytes are the number of one.
 */
function bloomOf(all: readonly Uint8Array[], added: Uint8Array = new Uint8Array(256)): Uint8Array {
  const bloom = added.slice();
  for (const one of all) {
    const hash = keccak(one);
    for (const at of [0, 2, 4]) {
      const bit = ((hash[at]! << 8) | hash[at + 1]!) & 2047;
      bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return bloom;
}

function topicsOf({ topics }: Members): Item {
  if (!Array.isArray(topics)) throw new UnknownForm('a log without topics');
  return topics.map((topic) => bytesOf(topic, 'topics', 32));
}
