import { RLP } from '@ethereumjs/rlp';
import { type Hex, hexOf, keccak } from '../../system/chain-bytes.js';
import { timeText } from '../proof-file/header-time.js';
import type { ProofFile } from '../shapes.js';
import type { BlockProofs } from './block-proofs.js';

/** What a proof file is about. */
export type Proven = Pick<
  ProofFile,
  'chainId' | 'operation' | 'entityId' | 'hash' | 'assetId' | 'from' | 'contract'
> & {
  /** undefined unless it is one of a batch. */
  readonly proof: readonly Hex[] | undefined;
};

/** The part of a proof file that all entities of a transaction share. */
export type ProofInBlock = Pick<ProofFile, 'block' | 'transaction' | 'receipt'>;

/** Returns the shared part for a transaction; undefined if it has recorded nothing. */
export function proofInBlock(
  transactionHash: Hex,
  { number, hash }: { readonly number: number; readonly hash: Hex },
  { header, transactions }: BlockProofs,
): ProofInBlock | undefined {
  const found = transactions.find(({ bytes }) => hexOf(keccak(bytes)) === transactionHash);
  if (found === undefined) return undefined;
  return {
    block: { number, hash, header: hexOf(header) },
    transaction: { index: found.index, proof: found.transaction.map(hexOf) },
    receipt: { proof: found.receipt.map(hexOf) },
  };
}

/** Returns the file. */
export function proofFile(proven: Proven, { block, transaction, receipt }: ProofInBlock): ProofFile {
  const { chainId, operation, entityId, hash, assetId, from, contract, proof } = proven;
  return {
    mirzamProof: 1,
    chainId,
    operation,
    entityId,
    hash,
    assetId,
    from,
    contract,
    recordedAt: timeText(timeIn(block.header)),
    ...(proof !== undefined && { batch: { proof } }),
    block,
    transaction,
    receipt,
  };
}

const TIMESTAMP = 11;

/** The time in a header, as the chain counts it. */
function timeIn(header: Hex): bigint {
  const bytes = RLP.decode(header)[TIMESTAMP] as Uint8Array;
  return BigInt(bytes.length === 0 ? 0 : hexOf(bytes));
}
