import { malformed } from './exchange.js';
import type { ChainBlock, ChainLog, ChainReceipt, ChainTransaction, Hex } from './port.js';

/** What a node's JSON holds, unread. */
type Members = Readonly<Record<string, unknown>>;

/** A receipt as the node gives it. Throws `ChainUnavailable` where something is missing or cannot be meant. */
export function receiptOf(json: unknown): ChainReceipt {
  const members = membersOf(json, 'a receipt');
  const logs = members['logs'];
  if (!Array.isArray(logs)) throw malformed('a receipt without logs');
  return {
    transactionHash: hexOf(members, 'transactionHash'),
    transactionIndex: quantityOf(members, 'transactionIndex'),
    blockHash: hexOf(members, 'blockHash'),
    blockNumber: quantityOf(members, 'blockNumber'),
    from: hexOf(members, 'from'),
    to: members['to'] === null ? null : hexOf(members, 'to'),
    cumulativeGasUsed: quantityOf(members, 'cumulativeGasUsed'),
    gasUsed: quantityOf(members, 'gasUsed'),
    status: quantityOf(members, 'status'),
    logs: logs.map(logOf),
    logsBloom: hexOf(members, 'logsBloom'),
  };
}

function logOf(json: unknown): ChainLog {
  const members = membersOf(json, 'a log');
  const topics = members['topics'];
  if (!Array.isArray(topics)) throw malformed('a log without topics');
  return {
    address: hexOf(members, 'address'),
    topics: topics.map((topic: unknown) => hexFrom(topic, 'topics')),
    data: hexOf(members, 'data'),
    blockHash: hexOf(members, 'blockHash'),
    blockNumber: quantityOf(members, 'blockNumber'),
    transactionHash: hexOf(members, 'transactionHash'),
    transactionIndex: quantityOf(members, 'transactionIndex'),
    logIndex: quantityOf(members, 'logIndex'),
    removed: members['removed'] === true,
  };
}

/** A transaction as the node gives it. Throws `ChainUnavailable` as `receiptOf`. */
export function transactionOf(json: unknown): ChainTransaction {
  const members = membersOf(json, 'a transaction');
  const waits = (members['blockHash'] ?? null) === null;
  return {
    hash: hexOf(members, 'hash'),
    from: hexOf(members, 'from'),
    to: (members['to'] ?? null) === null ? null : hexOf(members, 'to'),
    input: hexOf(members, 'input'),
    nonce: numberOf(members['nonce'], 'nonce'),
    blockNumber: waits ? undefined : numberOf(members['blockNumber'], 'blockNumber'),
    blockHash: waits ? undefined : hexOf(members, 'blockHash'),
  };
}

/** A block as the node gives it. Throws `ChainUnavailable` as `receiptOf`. */
export function blockOf(json: unknown): ChainBlock {
  const members = membersOf(json, 'a block');
  return {
    number: numberOf(members['number'], 'number'),
    hash: hexOf(members, 'hash'),
    parentHash: hexOf(members, 'parentHash'),
    timestamp: timeOf(quantity(members['timestamp'], 'timestamp')),
  };
}

/** The value of a quantity. Throws `ChainUnavailable` where it is none. */
export function quantity(json: unknown, name: string): bigint {
  if (typeof json !== 'string' || !/^0x[\da-f]{1,64}$/i.test(json)) throw malformed(`${name} is no quantity`);
  return BigInt(json);
}

/** A quantity that is a count. Throws `ChainUnavailable` where it is none, or is beyond 2^53. */
export function numberOf(json: unknown, name: string): number {
  const value = Number(quantity(json, name));
  if (!Number.isSafeInteger(value)) throw malformed(`${name} is too large`);
  return value;
}

/** Bytes as hexadecimal digits, in lower case. Throws `ChainUnavailable` where it is something else. */
export function hexFrom(json: unknown, name: string): Hex {
  if (typeof json !== 'string' || !/^0x[\da-f]*$/i.test(json)) throw malformed(`${name} is not hexadecimal`);
  return json.toLowerCase() as Hex;
}

function membersOf(json: unknown, what: string): Members {
  if (typeof json !== 'object' || json === null) throw malformed(`${what} that is none`);
  return json as Members;
}

function hexOf(members: Members, name: string): Hex {
  return hexFrom(members[name], name);
}

/** Without leading zeros, which some nodes give. */
function quantityOf(members: Members, name: string): Hex {
  return `0x${quantity(members[name], name).toString(16)}`;
}

/** Seconds since the epoch: chains of Raft consensus count nanoseconds. */
function timeOf(value: bigint): number {
  return Number(value > 1_000_000_000_000_000n ? value / 1_000_000_000n : value);
}
