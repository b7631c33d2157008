import { ChainMisfit, ChainUnavailable } from '../../chain/port.js';
import type { Chain, ChainBlock, ChainReceipt, Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import { hashed } from './claim.js';
import type { Claim, Hashed } from './claim.js';
import type { HashedClaim } from './claims.js';
import { isBatch, judge, recordedBy } from './judge.js';
import type { Judgement, Recorded } from './judge.js';

/** What a verification asks. */
export interface Witnesses {
  /** Asked about the transaction; only events of its contract count. */
  readonly chain: Pick<Chain, 'contract' | 'transaction' | 'receipt' | 'block'>;
  /** Only a shortcut: what it gives is checked. */
  readonly storedProof?: StoredProof;
}

/** The proof that is kept of an entity with this hash in the batch of a transaction, where one is. */
export type StoredProof = (
  transactionHash: Hex,
  entityId: string,
  hash: Hex,
) => Promise<readonly Hex[] | undefined>;

/** The answer to a claim (contract, Verify). */
export interface Verdict extends Judgement {
  /** The account that signed the transaction. */
  readonly from: Hex;
  /** Null, like the two below, while the transaction is in no block of the chain. */
  readonly blockNumber: number | null;
  readonly blockHash: Hex | null;
  /** The block's time, ISO 8601. */
  readonly recordedAt: string | null;
}

/** Where a transaction is on the chain now. */
type Placed =
  | { readonly receipt: ChainReceipt; readonly block: ChainBlock }
  | { readonly from: Hex; readonly why: string };

/** A reorganisation between two questions makes their answers disagree: then both are asked again. */
const ATTEMPTS = 3;

/**
 * Says whether a transaction has recorded the content of a claim: the chain is asked, nothing is believed. Throws
 * `Refusal`: `not-found` for a transaction that the chain does not know, `unavailable` where its node does not answer,
 * `bad-gateway` where it is on another chain, `bad-request` for content without a canonical form.
 */
export async function verify(claim: Claim, witnesses: Witnesses): Promise<Verdict> {
  return verifyHashed({ transactionHash: claim.transactionHash, content: hashed(claim) }, witnesses);
}

/** As `verify`, of a claim whose content is hashed already. */
export async function verifyHashed(claim: HashedClaim, witnesses: Witnesses): Promise<Verdict> {
  const { transactionHash, content } = claim;
  const placed = await place(transactionHash, witnesses.chain).catch(refuse);
  if ('why' in placed) {
    const { from, why } = placed;
    return { ...judge(content, why), from, blockNumber: null, blockHash: null, recordedAt: null };
  }
  const { receipt, block } = placed;
  const recorded = recordedBy(receipt, witnesses.chain.contract);
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
  recorded: readonly Recorded[] | string,
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
  throw new Refusal('unavailable', 'the node of the chain does not answer: nothing was verified', { cause });
}
