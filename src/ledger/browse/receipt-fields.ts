import type { ReceiptFieldView } from '../shapes.js';

/** The meaning of each member of a receipt (ledger §2), in the order in which they are shown. */
const MEANINGS: Readonly<Record<string, string>> = {
  transactionHash: 'The name of the transaction on the chain: keccak-256 of its signed bytes.',
  statusOK:
    'True if the contract has emitted the event of this operation. False: nothing was recorded, and reason says why.',
  status: 'The same as the chain writes it: 0x1 is success, 0x0 is reverted.',
  blockNumber: 'The number of the block that holds the transaction.',
  blockHash: 'The hash of that block. After a reorganisation another block has the same number.',
  from: 'The account that signed the transaction and paid for it.',
  to: 'The contract that was called.',
  gasUsed: 'The work that the transaction cost, in gas.',
  cumulativeGasUsed: 'The gas of the block up to this transaction, its own included.',
  logs: 'The events of the contract. The topics of its event are the event’s name, the assetId and the hash.',
  logsBloom: 'A filter by which nodes find blocks with an event quickly. It proves nothing.',
  transactionIndexRaw: 'The place of the transaction in its block, from 0, in hexadecimal digits.',
  blockNumberRaw: 'The block number in hexadecimal digits.',
  cumulativeGasUsedRaw: 'The cumulative gas in hexadecimal digits.',
  gasUsedRaw: 'The gas in hexadecimal digits.',
};

/** The meaning of each member of `additionalInformation`. */
const INFORMATION: Readonly<Record<string, string>> = {
  operation: 'The NGSI-LD operation that was recorded. The chain does not hold this name.',
  assetId:
    'The keccak-256 hash of the entity’s id; for a batch the root of its tree. The first argument of the contract’s call.',
  hash: 'The keccak-256 hash of the canonical content; for a batch the root of its tree. The second argument of the call.',
  canonicalization: 'The standard that gives equal content equal bytes before it is hashed.',
  reason: 'Why the transaction has recorded nothing, although it is in a block.',
  tenant: 'The tenant that the caller named, or that its token names.',
  link: 'The Link header of the request: where the @context is.',
  query: 'The parameters that were hashed.',
};

/** Returns the members of a receipt with their meanings. `receipt` is the object that `receiptOf` returns. */
export function explainedFields(receipt: Readonly<Record<string, unknown>>): readonly ReceiptFieldView[] {
  const { additionalInformation } = receipt;
  return [
    ...fieldsOf(receipt, MEANINGS, ''),
    ...fieldsOf(additionalInformation as typeof receipt, INFORMATION, 'additionalInformation.'),
  ];
}

function fieldsOf(
  values: Readonly<Record<string, unknown>>,
  meanings: Readonly<Record<string, string>>,
  prefix: string,
): ReceiptFieldView[] {
  return Object.entries(meanings).flatMap(([name, meaning]) => {
    const value = values[name];
    return value === undefined ? [] : [{ name: prefix + name, value: textOf(value), meaning }];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
