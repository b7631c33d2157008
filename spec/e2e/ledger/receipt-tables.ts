import { expect } from 'chai';

const WORD = /^0x[0-9a-f]{64}$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]*)$/;
const integer = (value: unknown): boolean => Number.isSafeInteger(value);
const flag = (value: unknown): boolean => typeof value === 'boolean';
const matching =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && pattern.test(value);

/** The log object, field by field (ledger §2). */
export const LOG_FIELDS = {
  removed: flag,
  logIndex: integer,
  transactionIndex: integer,
  transactionHash: matching(WORD),
  blockHash: matching(WORD),
  blockNumber: integer,
  address: matching(ADDRESS),
  data: matching(/^0x(?:[0-9a-f]{2})*$/),
  type: (value: unknown) => value === 'mined',
  topics: (value: unknown) => Array.isArray(value) && value.every(matching(WORD)),
  transactionIndexRaw: matching(QUANTITY),
  blockNumberRaw: matching(QUANTITY),
  logIndexRaw: matching(QUANTITY),
} as const;

/** The transaction receipt, field by field (ledger §2). */
export const RECEIPT_FIELDS = {
  transactionHash: matching(WORD),
  blockHash: matching(WORD),
  blockNumber: integer,
  cumulativeGasUsed: integer,
  gasUsed: integer,
  status: matching(/^0x[01]$/),
  from: matching(ADDRESS),
  to: matching(ADDRESS),
  logs: (value: unknown) => Array.isArray(value),
  logsBloom: matching(/^0x[0-9a-f]{512}$/),
  transactionIndexRaw: matching(QUANTITY),
  blockNumberRaw: matching(QUANTITY),
  cumulativeGasUsedRaw: matching(QUANTITY),
  gasUsedRaw: matching(QUANTITY),
  statusOK: flag,
  additionalInformation: (value: unknown) => typeof value === 'object' && value !== null,
} as const;

/** Fails unless an object has exactly the fields of a table, each of its type. */
function expectTable(object: unknown, table: Readonly<Record<string, (value: unknown) => boolean>>): void {
  const fields = object as Readonly<Record<string, unknown>>;
  expect(Object.keys(fields)).to.deep.equal(Object.keys(table));
  for (const [name, isFit] of Object.entries(table)) {
    expect(isFit(fields[name]), `${name}: ${JSON.stringify(fields[name])}`).to.equal(true);
  }
}

/** Fails unless something is a receipt whose every field is there, its logs' included. */
export function expectReceipt(receipt: unknown): void {
  expectTable(receipt, RECEIPT_FIELDS);
  for (const log of (receipt as { logs: readonly unknown[] }).logs) expectTable(log, LOG_FIELDS);
}
