import { malformed } from './exchange.js';
import type { ChainBlock, ChainLog, ChainReceipt, ChainTransaction, Hex } from './port.js';

/** The members of a JSON object of a node, unread. */
type Members = Readonly<Record<string, unknown>>;

/** Reads a receipt. Throws `ChainUnavailable` if a member is missing or malformed. */
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

/** Reads a transaction. Throws `ChainUnavailable` if a member is missing or malformed. */
export function transactionOf(json: unknown): ChainTransaction {
  const members = membersOf(json, 'a transaction');
  const isPending = (members['blockHash'] ?? null) === null;
  return {
    hash: hexOf(members, 'hash'),
    from: hexOf(members, 'from'),
    to: (members['to'] ?? null) === null ? null : hexOf(members, 'to'),
    input: hexOf(members, 'input'),
    nonce: numberOf(members['nonce'], 'nonce'),
    blockNumber: isPending ? undefined : numberOf(members['blockNumber'], 'blockNumber'),
    blockHash: isPending ? undefined : hexOf(members, 'blockHash'),
  };
}

/** Reads a block. Throws `ChainUnavailable` if a member is missing or malformed. */
export function blockOf(json: unknown): ChainBlock {
  const members = membersOf(json, 'a block');
  return {
    number: numberOf(members['number'], 'number'),
    hash: hexOf(members, 'hash'),
    parentHash: hexOf(members, 'parentHash'),
    timestamp: timeOf(quantity(members['timestamp'], 'timestamp')),
  };
}

/** Reads a quantity. Throws `ChainUnavailable` if it is not one. */
export function quantity(json: unknown, name: string): bigint {
  const value = quantityIn(json);
  if (value === undefined) throw malformed(`${name} is no quantity`);
  return value;
}

/** Reads a quantity of at most 256 bits; undefined for anything else. */
export function quantityIn(json: unknown): bigint | undefined {
  return typeof json === 'string' && /^0x[\da-f]{1,64}$/i.test(json) ? BigInt(json) : undefined;
}

/** Reads a quantity as a number. Throws `ChainUnavailable` if it is not one or is beyond 2^53. */
export function numberOf(json: unknown, name: string): number {
  const value = Number(quantity(json, name));
  if (!Number.isSafeInteger(value)) throw malformed(`${name} is too large`);
  return value;
}

/** Reads bytes; their hexadecimal digits are in lower case. Throws `ChainUnavailable` for anything else. */
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

/** A quantity without the leading zeros that some nodes write. */
function quantityOf(members: Members, name: string): Hex {
  return `0x${quantity(members[name], name).toString(16)}`;
}

/** Seconds since the epoch. Chains with Raft consensus count nanoseconds. */
function timeOf(value: bigint): number {
  return Number(value > 1_000_000_000_000_000n ? value / 1_000_000_000n : value);
}
