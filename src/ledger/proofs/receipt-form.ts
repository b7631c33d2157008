import { RLP } from '@ethereumjs/rlp';
import { TOPIC } from '../../chain/timestamp-call.js';
import { keccak } from '../../system/chain-bytes.js';
import { bytesIn, bytesOf, type Members, objectsIn, quantityIn, typed, UnknownForm } from './json-fields.js';
import type { Item } from './rlp-bytes.js';
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
/** Where the second argument of a call begins, and where the call ends. */
const [SECOND, CALL] = [36, 68];

/**
 * Returns the bytes of the receipt of a transaction that called `timestamp` and caused nothing but its event. `gas`: the
 * `cumulativeGasUsed` of the receipt. Throws `UnknownForm`.
 */
export function eventReceiptBytes(transaction: Uint8Array, gas: Uint8Array): Uint8Array {
  const type = transaction[0]! >= LIST ? 0 : transaction[0]!;
  const fields = RLP.decode(type === 0 ? transaction : transaction.subarray(1));
  // The receiver, the value and the data.
  const [to, , data] = fields.slice(type === 0 ? 3 : 5);
  if (!(to instanceof Uint8Array && data instanceof Uint8Array && data.length === CALL))
    throw new UnknownForm('another call');
  const call = [data.subarray(SECOND - 32, SECOND), data.subarray(SECOND)];
  const bloom = bloomOf([to, ...call], EVENT_BLOOM);
  return typed(type, [SUCCESS, gas, bloom, [[to, [EVENT, ...call], NOTHING]]]);
}

/** The bloom of the address and the topics of logs (yellow paper, 4.3.1): of the hash of each, three times 11 bits are a bit. */
function bloomOf(all: readonly Uint8Array[], others: Uint8Array = new Uint8Array(256)): Uint8Array {
  const bloom = others.slice();
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
