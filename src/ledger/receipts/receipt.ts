import type { ChainLog } from '../../chain/port.js';
import { faultOf } from '../verify/judge.js';
import type { StoredOperation, MinedTransaction } from '../signed-transaction.js';

/**
 * Returns the receipt of a transaction (ledger §2): JSON text in pieces. `entries`: the entries of a batch, each text of
 * one or more, separated by commas.
 */
export function* receiptText(transaction: MinedTransaction, entries?: Iterable<string>): Generator<string> {
  const text = JSON.stringify(receiptOf(transaction));
  if (entries === undefined) {
    yield text;
    return;
  }
  yield `${text.slice(0, -2)},"entities":[`;
  let separator = '';
  for (const entry of entries) {
    yield separator + entry;
    separator = ',';
  }
  yield ']}}';
}

/** Returns the receipt of a transaction (ledger §2), without the entries of a batch. */
export function receiptOf(transaction: MinedTransaction) {
  const { receipt, signed } = transaction;
  const fault = faultOf(transaction);
  const { transactionHash, blockHash, from, to, status, logsBloom } = receipt;
  return {
    transactionHash,
    blockHash,
    blockNumber: Number(receipt.blockNumber),
    cumulativeGasUsed: Number(receipt.cumulativeGasUsed),
    gasUsed: Number(receipt.gasUsed),
    status,
    from,
    to,
    logs: receipt.logs.map(presentLog),
    logsBloom,
    transactionIndexRaw: receipt.transactionIndex,
    blockNumberRaw: receipt.blockNumber,
    cumulativeGasUsedRaw: receipt.cumulativeGasUsed,
    gasUsedRaw: receipt.gasUsed,
    statusOK: fault === undefined,
    additionalInformation: informationOf(signed.operation, fault),
  };
}

function presentLog(log: ChainLog) {
  const { removed, transactionHash, blockHash, address, data, topics } = log;
  return {
    removed,
    logIndex: Number(log.logIndex),
    transactionIndex: Number(log.transactionIndex),
    transactionHash,
    blockHash,
    blockNumber: Number(log.blockNumber),
    address,
    data,
    type: 'mined',
    topics,
    transactionIndexRaw: log.transactionIndex,
    blockNumberRaw: log.blockNumber,
    logIndexRaw: log.logIndex,
  };
}

function informationOf(
  { name, assetId, hash, tenant, tenantName, link, query }: StoredOperation,
  reason: string | undefined,
) {
  return {
    // First, so that the members below overwrite members of the query with the same name.
    ...query,
    operation: name,
    assetId,
    hash,
    canonicalization: 'RFC8785',
    tenant: tenantName ?? tenant,
    link,
    query,
    reason,
  };
}
