import {
  type Chain,
  type ChainBlock,
  ChainMisfit,
  type ChainReceipt,
  ChainUnavailable,
  type Hex,
} from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { Verdict } from '../shapes.js';
import { type Claim, hashed, type Hashed, type HashedClaim } from './claim.js';
import { type ContractRecord, isBatch, judge, recordsIn } from './judge.js';

/** The sources of a verification. */
export interface Witnesses {
  /** Only events of its contract count. */
  readonly chain: Pick<Chain, 'contract' | 'transaction' | 'receipt' | 'block'>;
  /** Spares the caller the proof; its result is checked like a caller's. */
  readonly storedProof?: StoredProof;
}

/** Returns the stored proof of an entity with this hash in the batch of a transaction; undefined if none is stored. */
export type StoredProof = (
  transactionHash: Hex,
  entityId: string,
  hash: Hex,
) => Promise<readonly Hex[] | undefined>;

/** The place of a transaction on the chain; `why`: why it is in no block. */
type Placed =
  | { readonly receipt: ChainReceipt; readonly block: ChainBlock }
  | { readonly from: Hex; readonly why: string };

/** A reorganisation between two calls makes their results disagree: then both are repeated. */
const ATTEMPTS = 3;

/**
 * Checks on the chain whether a transaction has recorded the content of a claim. Throws `Refusal`: `not-found` for a
 * transaction that the chain does not know, `unavailable` if the node does not answer, `bad-gateway` if the node is on
 * another chain, `bad-request` for content without a canonical form.
 */
export async function verify(claim: Claim, witnesses: Witnesses): Promise<Verdict> {
  return verifyHashed({ transactionHash: claim.transactionHash, content: hashed(claim) }, witnesses);
}

/** As `verify`, for a claim with hashed content. */
export async function verifyHashed(claim: HashedClaim, witnesses: Witnesses): Promise<Verdict> {
  const { transactionHash, content } = claim;
  const placed = await place(transactionHash, witnesses.chain).catch(refuse);
  if ('why' in placed) {
    const { from, why } = placed;
    return { ...judge(content, why), from, blockNumber: null, blockHash: null, recordedAt: null };
  }
  const { receipt, block } = placed;
  const recorded = recordsIn(receipt, witnesses.chain.contract);
  const proof = content.proof ?? (await proofOf(transactionHash, content, recorded, witnesses));
  return {
    ...judge({ ...content, proof }, recorded),
    from: receipt.from,
    blockNumber: block.number,
    blockHash: block.hash,
    recordedAt: new Date(block.timestamp * 1_000).toISOString(),
  };
}

async function proofOf(
  transactionHash: Hex,
  { operation, entityId, hash }: Hashed,
  recorded: readonly ContractRecord[] | string,
  { storedProof }: Witnesses,
): Promise<readonly Hex[] | undefined> {
  if (operation !== 'create' || entityId === undefined || !isBatch(recorded)) return undefined;
  return storedProof?.(transactionHash, entityId, hash);
}

async function place(transactionHash: Hex, chain: Witnesses['chain']): Promise<Placed> {
  let from: Hex | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const receipt = await chain.receipt(transactionHash);
    if (receipt === undefined) {
      const transaction = await chain.transaction(transactionHash);
      if (transaction === undefined) continue;
      ({ from } = transaction);
      if (transaction.blockNumber === undefined) return { from, why: 'the transaction is in no block yet' };
    } else {
      ({ from } = receipt);
      const block = await chain.block(Number(receipt.blockNumber));
      if (block?.hash === receipt.blockHash) return { receipt, block };
    }
  }
  if (from === undefined)
    throw new Refusal('not-found', `the chain knows no transaction ${transactionHash}; check hash and chain`);
  return { from, why: 'the block of the transaction is not part of the chain any more' };
}

function refuse(cause: unknown): never {
  if (cause instanceof ChainMisfit) throw new Refusal('bad-gateway', cause.message, { cause });
  if (!(cause instanceof ChainUnavailable)) throw cause;
  const why = cause.reason === undefined ? '' : `: ${cause.reason}`;
  throw new Refusal('unavailable', `the node of the chain does not answer${why}; nothing was verified`, {
    cause,
  });
}
