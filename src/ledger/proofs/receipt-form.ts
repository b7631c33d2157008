import {
  bytesIn,
  bytesOf,
  type Field,
  type Members,
  objectsIn,
  quantityIn,
  typed,
  UnknownForm,
} from './json-fields.js';
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

function topicsOf({ topics }: Members): Field {
  if (!Array.isArray(topics)) throw new UnknownForm('a log without topics');
  return topics.map((topic) => bytesOf(topic, 'topics', 32));
}
