import {
  type Chain,
  type ChainBlock,
  ChainMisfit,
  type ChainReceipt,
  ChainUnavailable,
  type Hex,
} from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import { inBatches } from '../../system/in-batches.js';
import type { EntryJudgement, Judgement, Verdict } from '../shapes.js';
import { type Claim, hashed, type Hashed, type HashedClaim, type HashedEntities } from './claim.js';
import { type ContractRecord, isBatch, judge, recordsIn } from './judge.js';
import { isoOf } from '../../system/iso.js';

/** The sources of a verification. */
export interface Witnesses {
  /** Only events of its contract count. */
  readonly chain: Pick<Chain, 'contract' | 'transaction' | 'receipt' | 'block'>;
  /** Spares the caller the proofs; its results are checked like a caller's. */
  readonly storedProofs?: StoredProofs;
}

/**
 * Returns the stored proofs of entries in the batch of a transaction, by the hash of their content, which includes the
 * entity's id. A hash without a stored proof is absent.
 */
export type StoredProofs = (
  transactionHash: Hex,
  hashes: ReadonlySet<Hex>,
) => Promise<ReadonlyMap<Hex, readonly Hex[]>>;

/** Entities that are compared in one turn of the event loop. */
const ENTRIES_AT_ONCE = 50;

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
  const isPlaced = 'receipt' in placed;
  const recorded = isPlaced ? recordsIn(placed.receipt, witnesses.chain.contract) : placed.why;
  const proofs: Proofs = async (hashes) =>
    (isBatch(recorded) && (await witnesses.storedProofs?.(transactionHash, new Set(hashes)))) || new Map();
  const judgement = await ('entries' in content
    ? judgeEntities(content, recorded, proofs)
    : judgeOne(content, recorded, proofs));
  if (!isPlaced)
    return { ...judgement, from: placed.from, blockNumber: null, blockHash: null, recordedAt: null };
  const { receipt, block } = placed;
  return {
    ...judgement,
    from: receipt.from,
    blockNumber: block.number,
    blockHash: block.hash,
    recordedAt: isoOf(block.timestamp * 1_000),
  };
}

type Recorded = readonly ContractRecord[] | string;
type Proofs = (hashes: readonly Hex[]) => ReturnType<StoredProofs>;

async function judgeOne(content: Hashed, recorded: Recorded, proofs: Proofs): Promise<Judgement> {
  const { operation, hash, proof } = content;
  if (proof !== undefined || operation !== 'create') return judge(content, recorded);
  return judge({ ...content, proof: (await proofs([hash])).get(hash) }, recorded);
}

/** Compares entities, each on its own unless they are the whole batch: that needs no proof. */
async function judgeEntities(
  { entries, root }: HashedEntities,
  recorded: Recorded,
  proofs: Proofs,
): Promise<Judgement> {
  const isWhole =
    typeof recorded !== 'string' && recorded.some(({ assetId, hash }) => assetId === root && hash === root);
  const found = isWhole ? undefined : await proofs(entries.map(({ hash }) => hash));
  const judged: EntryJudgement[] = [];
  let first: Judgement | undefined;
  for await (const part of inBatches(entries, ENTRIES_AT_ONCE)) {
    for (const { entityId = '', hash, ...entry } of part) {
      const one = found && judge({ ...entry, entityId, hash, proof: found.get(hash) }, recorded);
      if (one?.verified === true) first ??= one;
      const { verified = true, reason } = one ?? {};
      judged.push({ entityId, contentHash: hash, verified, ...(reason !== undefined && { reason }) });
    }
  }
  const wrong = judged.findIndex(({ verified }) => !verified);
  if (wrong === -1) {
    const { operation = 'upsert', assetId = root, hash = root } = first ?? {};
    return { verified: true, operation, assetId, hash, entries: judged };
  }
  const count = judged.filter(({ verified }) => !verified).length;
  const reason = `${count} of ${judged.length} entities are not verified, the first at index ${wrong}: ${judged[wrong]!.reason}`;
  return { verified: false, reason, assetId: root, hash: root, entries: judged };
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
