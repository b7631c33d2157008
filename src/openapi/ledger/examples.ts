import { EXAMPLE_TIME } from '../policy/examples.js';

/** Hexadecimal digits after `0x`. */
type Hex = `0x${string}`;

/** Values of the ledger as they are written in examples. They are not those of one chain: only their shapes count. */
export const SENDER: Hex = `0x${'f39f'.repeat(10)}`;
const CONTRACT: Hex = `0x${'5fbd'.repeat(10)}`;

export const BUILDING = 'urn:ngsi-ld:Building:farm001';
/** The body of L1. */
export const building = {
  id: BUILDING,
  type: 'Building',
  name: { type: 'Property', value: 'The big red barn' },
  location: { type: 'GeoProperty', value: { type: 'Point', coordinates: [13.3986, 52.5547] } },
};

/** What a receipt of the examples says. Hashes are given by their first digits. */
interface Recorded {
  readonly transaction: string;
  readonly operation: string;
  readonly asset: string;
  readonly hash: string;
}

/** Returns the receipt of a transaction, `more` in its additionalInformation. */
export function receipt({ transaction, operation, asset, hash }: Recorded, more: object = {}) {
  const transactionHash = hashOf(transaction);
  const information = { operation, assetId: hashOf(asset), hash: hashOf(hash) };
  const where = { transactionHash, blockHash: blockOf(transactionHash), blockNumber: 12 };
  return {
    ...where,
    cumulativeGasUsed: 23_208,
    gasUsed: 23_208,
    status: '0x1',
    from: SENDER,
    to: CONTRACT,
    logs: [
      {
        removed: false,
        logIndex: 0,
        transactionIndex: 0,
        ...where,
        address: CONTRACT,
        data: '0x',
        type: 'mined',
        topics: [`0x${'d1'.repeat(32)}`, information.assetId, information.hash],
        transactionIndexRaw: '0x0',
        blockNumberRaw: '0xc',
        logIndexRaw: '0x0',
      },
    ],
    logsBloom: `0x${'00'.repeat(256)}`,
    transactionIndexRaw: '0x0',
    blockNumberRaw: '0xc',
    cumulativeGasUsedRaw: '0x5aa8',
    gasUsedRaw: '0x5aa8',
    statusOK: true,
    additionalInformation: { ...information, canonicalization: 'RFC8785', ...more },
  };
}

/** Returns 32 bytes that begin with these digits. */
export function hashOf(digits: string): Hex {
  return `0x${digits.padEnd(64, '0')}`;
}

/** Returns where a transaction is, as a verification shows it. */
export function recordedIn(transactionHash: string): object {
  return {
    from: SENDER,
    blockNumber: 12,
    blockHash: blockOf(transactionHash),
    recordedAt: EXAMPLE_TIME,
  };
}

/** Returns the part of a proof file that a transaction gives. Of the bytes only the first are written. */
export function provenIn(transactionHash: string): object {
  return {
    from: SENDER,
    contract: CONTRACT,
    recordedAt: EXAMPLE_TIME,
    block: { number: 12, hash: blockOf(transactionHash), header: '0xf901' },
    transaction: { index: 0, proof: ['0xf8ad'] },
    receipt: { proof: ['0xf901'] },
  };
}

function blockOf(transactionHash: string): Hex {
  return `0x9a${transactionHash.slice(2, 64)}`;
}

/** The receipts of the building, in the order of the examples. */
export const created = receipt({ transaction: '1', operation: 'create', asset: 'a1', hash: 'b1' });
export const updated = receipt({ transaction: '3', operation: 'update', asset: 'a1', hash: 'b3' });
export const renamed = receipt({ transaction: '6', operation: 'update', asset: 'a1', hash: 'e6' });
/** The query of L4. */
export const names = { attrs: 'name' };
export const retrieved = receipt(
  { transaction: '4', operation: 'retrieve', asset: 'a1', hash: 'b4' },
  { ...names, entityId: BUILDING, query: { ...names, entityId: BUILDING } },
);
