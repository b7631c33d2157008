import type { Chain, Hex } from '../../chain/port.js';
import { assetIdOf } from '../content/content-hash.js';
import type { BatchEntry } from '../operation.js';
import type { OperationName, ProofFile } from '../shapes.js';
import { blockProofs } from './block-proofs.js';
import { UnknownForm } from './json-fields.js';
import { proofFile, proofInBlock } from './proof-file.js';

/** The members of a receipt, as the service answers it, that a proof file needs. */
export interface AnsweredReceipt {
  readonly transactionHash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: number;
  readonly from: Hex;
  readonly to: Hex;
  readonly additionalInformation: {
    readonly operation: OperationName;
    readonly assetId: Hex;
    readonly hash: Hex;
    /** Of a batch: all entries, or those that are proven. */
    readonly entities?: readonly BatchEntry[];
  };
}

/** The entity that a file is for. `hash` tells an id that a batch has twice. */
export interface ProvenEntity {
  readonly entityId: string;
  readonly hash?: Hex | undefined;
}

/**
 * Makes a proof file of a receipt, by a node of its chain. Throws an `Error` if the receipt is not about the entity, the node
 * does not answer or does not have the block, the transaction has recorded nothing, or the block has a form that is not known.
 */
export async function makeProof(
  receipt: AnsweredReceipt,
  { entityId, hash: wanted }: ProvenEntity,
  chain: Pick<Chain, 'id' | 'evidence'>,
): Promise<ProofFile> {
  const { blockHash, blockNumber, from, to: contract, additionalInformation } = receipt;
  const { operation, assetId, hash, entities } = additionalInformation;
  const entry = entities?.find((one) => one.entityId === entityId && (wanted ?? one.hash) === one.hash);
  const isAbout =
    entities === undefined ? assetId === assetIdOf(entityId) && (wanted ?? hash) === hash : entry;
  if (!isAbout) throw new Error(`the receipt is not about the entity ${entityId}`);
  const evidence = await chain.evidence(blockHash);
  if (evidence === undefined) throw new Error(`the node does not have the block ${blockHash}`);
  const block = { number: blockNumber, hash: blockHash };
  const found = proofInBlock(receipt.transactionHash, block, await proofsOf(blockHash, evidence));
  if (found === undefined) throw new Error('the transaction has recorded nothing: its receipt has no event');
  const proven = {
    chainId: chain.id,
    operation,
    entityId,
    hash: entry?.hash ?? hash,
    assetId,
    from,
    contract,
  };
  return proofFile({ ...proven, proof: entry?.proof }, found);
}

async function proofsOf(...of: Parameters<typeof blockProofs>): ReturnType<typeof blockProofs> {
  try {
    return await blockProofs(...of);
  } catch (error) {
    if (!(error instanceof UnknownForm)) throw error;
    throw new Error(`no proof can be made: the chain has ${error.message}`, { cause: error });
  }
}
