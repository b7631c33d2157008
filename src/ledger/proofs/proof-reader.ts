import { setImmediate } from 'node:timers/promises';
import type { Actors } from '../../actors/kind.js';
import type { LateChain } from '../../chain/late-chain.js';
import type { ChainReceipt, Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { Store } from '../../store/port.js';
import { quoted } from '../../untrusted/text.js';
import { type BatchPages, entriesOf, type ListedBatch } from '../index/batch-pages.js';
import { type Item, itemOf } from '../index/entity-machine.js';
import { entityList, type Lists } from '../index/lists.js';
import { BATCH_PAGE, type BatchEntry } from '../operation.js';
import type { SignedTransaction } from '../signed-transaction.js';
import { loadBySignature } from '../transaction/transaction-kind.js';
import type { TransactionContext } from '../transaction/transaction-machine.js';
import { faultOf } from '../verify/judge.js';
import type { ProvenEntity } from './make-proof.js';
import type { ProofFile } from '../shapes.js';
import { proofFile } from './proof-file.js';
import type { ProofKeeper, ProvenBlock } from './proof-keeper.js';

/** A request for a proof. */
export interface ProofRequest extends ProvenEntity {
  readonly transactionHash: Hex;
  /** Whose transactions are known; undefined: all. */
  readonly tenant: string | undefined;
  /** The client's address: clients take turns. */
  readonly client: string | undefined;
}

export interface ProofReaderOptions {
  readonly actors: Actors;
  readonly store: Store;
  readonly lists: Lists;
  readonly batchPages: BatchPages;
  readonly chain: Pick<LateChain, 'name' | 'missing' | 'head' | 'block'>;
  readonly keeper: Pick<ProofKeeper, 'kept' | 'keep'>;
  /** LEDGER_FINALITY, blocks. */
  readonly finality: number;
}

/** Newest items of an entity's list in which the entries of a batch are looked for before the batch itself. */
const NEWEST = 100;

/**
 * Returns the function that gives the proof file of an entity: from the store, else made by the chain's node and kept. Throws
 * `Refusal`: `not-found` for an unknown transaction or entity, `bad-request` for an id that needs a hash, `conflict` while the
 * block is not final or if nothing was recorded; what `ProofKeeper.keep` throws.
 */
export function createProofReader(options: ProofReaderOptions) {
  const { actors, store, lists, batchPages, chain, keeper, finality } = options;

  /** The items of a transaction among the newest ones of an entity. */
  const itemsOf = async (entityId: string, hash: Hex, newest: number): Promise<readonly Item[]> => {
    const list = entityList(entityId);
    const count = await lists.count(actors, list);
    const found: Item[] = [];
    for await (const items of lists.slice(actors, list, Math.max(0, count - newest), count)) {
      found.push(...items.map(itemOf).filter((item) => item.hash === hash));
      await setImmediate();
    }
    return found;
  };

  /** The name of the chain, without its node as well: what is kept is there when the node has gone for good. */
  const chainOf = async (entityId: string, hash: Hex): Promise<string> => {
    const [item] = chain.missing() === undefined ? [] : await itemsOf(entityId, hash, Infinity);
    return item?.chain ?? chain.name;
  };

  const entriesIn = async (
    signed: SignedTransaction,
    listed: ListedBatch,
    entityId: string,
  ): Promise<readonly BatchEntry[]> => {
    const items = await itemsOf(entityId, signed.hash, NEWEST);
    const numbers = new Set(items.map(({ index = 0 }) => Math.floor(index / BATCH_PAGE)));
    if (numbers.size === 0) for (let number = 0; number < listed.pages; number += 1) numbers.add(number);
    const found: BatchEntry[] = [];
    const name = JSON.stringify(entityId);
    for (const number of numbers) {
      const text = await batchPages.text(listed.batch, number);
      if (text.includes(name)) found.push(...entriesOf(text).filter((entry) => entry.entityId === entityId));
    }
    return found;
  };

  /** The hash of the entity, and its proof in a batch. */
  const entityIn = async (
    signed: SignedTransaction,
    { entityId, hash: wanted }: ProofRequest,
  ): Promise<Pick<BatchEntry, 'hash'> & { readonly proof: readonly Hex[] | undefined }> => {
    const { listed, hash } = signed.operation;
    const entries =
      'entityId' in listed
        ? listed.entityId === entityId
          ? [{ hash, proof: undefined }]
          : []
        : await entriesIn(signed, listed, entityId);
    const matching = entries.filter((one) => (wanted ?? one.hash) === one.hash);
    const [entry] = matching;
    if (entry === undefined) {
      const which = wanted === undefined ? '' : ` with the hash ${wanted}`;
      throw new Refusal('not-found', `the transaction is not about the entity ${quoted(entityId)}${which}`);
    }
    const different = [...new Set(matching.map((one) => one.hash))];
    if (different.length === 1) return entry;
    throw new Refusal(
      'bad-request',
      `hash: must be given, because the batch has the entity more than once: ${different.join(' or ')}`,
    );
  };

  /** Throws unless the block is deep enough that no reorganisation is expected to replace it. */
  const checkFinal = async (number: number): Promise<void> => {
    const finalFrom = number + finality - 1;
    // This node of the service may lag behind.
    if ((chain.head() ?? -1) >= finalFrom || (await chain.block(finalFrom)) !== undefined) return;
    throw new Refusal(
      'conflict',
      `the block ${number} of the transaction is not final yet: it is from block ${finalFrom} on`,
      { members: { finalFrom } },
    );
  };

  return async (request: ProofRequest): Promise<ProofFile> => {
    const { transactionHash, entityId, tenant, client } = request;
    const name = await chainOf(entityId, transactionHash);
    const context = await loadBySignature(store, { chain: name, hash: transactionHash });
    const signed = context?.signed;
    if (signed === undefined || (tenant !== undefined && signed.operation.tenant !== tenant)) {
      throw new Refusal('not-found', `this service has recorded no transaction ${transactionHash}`);
    }
    const { hash, proof } = await entityIn(signed, request);
    const receipt = recordedIn(context!, signed);
    const block: ProvenBlock = {
      chain: name,
      number: Number(receipt.blockNumber),
      hash: receipt.blockHash,
    };
    const kept = () => keeper.kept(block, Number(receipt.transactionIndex));
    const made = async () => {
      await checkFinal(block.number);
      await keeper.keep(actors, block, { client });
      return kept();
    };
    const found = (await kept()) ?? (await made());
    if (found === undefined) throw new Refusal('conflict', 'the block has no event of the transaction');
    const { name: operation, assetId } = signed.operation;
    const contract = receipt.to!;
    const { from } = receipt;
    return proofFile(
      { chainId: Number(name), operation, entityId, hash, assetId, from, contract, proof },
      found,
    );
  };
}

/** The receipt of a transaction that has recorded its operation. Throws `Refusal('conflict')` with the reason. */
function recordedIn({ receipt, refusal }: TransactionContext, signed: SignedTransaction): ChainReceipt {
  if (receipt === undefined) {
    const why =
      refusal === undefined ? 'it is in no block yet' : `the chain has refused it: ${refusal.detail}`;
    throw new Refusal('conflict', `there is nothing to prove of the transaction: ${why}`);
  }
  const fault = faultOf({ receipt, signed });
  if (fault !== undefined) throw new Refusal('conflict', `there is nothing to prove: ${fault}`);
  return receipt;
}
