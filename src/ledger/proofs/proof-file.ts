import { RLP } from '@ethereumjs/rlp';
import { type Hex, hexOf } from '../../system/chain-bytes.js';
import type { OperationName } from '../shapes.js';
import type { BlockProofs } from './block-proofs.js';

/**
 * What proves the content of one entity in one operation under the hash of a block, and nothing else (docs/proofs.md). Bytes
 * are in hexadecimal digits of lower case.
 */
export interface ProofFile {
  readonly mirzamProof: 1;
  readonly chainId: number;
  readonly operation: OperationName;
  readonly entityId: string;
  /** keccak-256 of the canonical content. */
  readonly hash: Hex;
  /** The first argument of the contract's event: the hash of the entity's id; of a batch its root. */
  readonly assetId: Hex;
  /** The signer. */
  readonly from: Hex;
  readonly contract: Hex;
  /** The time of the header, ISO 8601 UTC. */
  readonly recordedAt: string;
  /** Of batches: the hashes from the entity up to the root. */
  readonly batch?: { readonly proof: readonly Hex[] };
  /** `header`: RLP as the chain hashes it. */
  readonly block: { readonly number: number; readonly hash: Hex; readonly header: Hex };
  /** Nodes from the root of each trie to the leaf. */
  readonly transaction: { readonly index: number; readonly proof: readonly Hex[] };
  readonly receipt: { readonly proof: readonly Hex[] };
}

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
  const found = transactions.find((one) => one.hash === transactionHash);
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
    recordedAt: new Date(timeIn(block.header)).toISOString(),
    ...(proof !== undefined && { batch: { proof } }),
    block,
    transaction,
    receipt,
  };
}

const TIMESTAMP = 11;

/** The time in a header, ms since the epoch. Chains with Raft consensus count nanoseconds, others seconds. */
function timeIn(header: Hex): number {
  const bytes = RLP.decode(header)[TIMESTAMP] as Uint8Array;
  const value = BigInt(bytes.length === 0 ? 0 : hexOf(bytes));
  return Number(value > 1_000_000_000_000_000n ? value / 1_000_000n : value * 1_000n);
}
