import type { Actors } from '../../actors/kind.js';
import type { LateChain } from '../../chain/late-chain.js';
import type { BlockEvidence, Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { Store } from '../../store/port.js';
import { batcher } from '../../system/batcher.js';
import { type BodyOrder, bodyThread } from '../../untrusted/body-thread.js';
import { type PageEvent, pageText } from '../index/page-machine.js';
import type { GasUsed } from './block-proofs.js';
import type { OwnBlock } from './own-transactions.js';
import { pageOf, type ProofPage, proofIn, proofPageAddress } from './proof-page.js';
import type { ProofInBlock } from './proof-file.js';

/** A block whose transactions are proven. */
export interface ProvenBlock {
  /** The chain's name. */
  readonly chain: string;
  readonly number: number;
  readonly hash: Hex;
}

/** What the thread makes the proofs of a block from. */
export interface ProofInput {
  readonly blockHash: Hex;
  readonly evidence: BlockEvidence;
  /** For evidence without receipts. */
  readonly gas: GasUsed | undefined;
}

/** The pages of a block, or why no proof of it can be made. */
export type ProofOutput = { readonly pages: readonly ProofPage[] } | { readonly unknown: string };

/** Who asks for the proofs of a block, and what is known of the block. */
interface Making {
  /** The client's address: clients take turns. */
  readonly client?: string | undefined;
  readonly own?: OwnBlock | undefined;
  /** The block is known to be part of the chain for good. */
  readonly isFinal?: boolean;
}

/** Makes the proofs of blocks, and keeps them. */
export type ProofKeeper = ReturnType<typeof createProofKeeper>;

export interface ProofKeeperOptions {
  readonly chain: Pick<LateChain, 'block' | 'evidence'>;
  readonly store: Store;
  readonly now: () => number;
}

/** Makes the keeper of a node. Its thread starts with the first block. */
export function createProofKeeper({ chain, store, now }: ProofKeeperOptions) {
  const thread = bodyThread<BodyOrder, readonly ProofOutput[]>(new URL('./proof-worker.js', import.meta.url));
  /** Blocks of one client whose evidence comes in one answer of the node are an order of the thread. */
  const outputs = batcher<ProofInput, readonly ProofOutput[]>({
    schedule: setImmediate,
    // Asynchronous: a text that is too long for V8 rejects.
    process: async (client, inputs) =>
      thread.run({ bytes: Buffer.from(JSON.stringify(inputs)), client: client === '' ? undefined : client }),
  });
  /** By the hash of the block. */
  const running = new Map<Hex, Promise<void>>();

  /** False once derived receipts have not led to a proof: the chain may have others than Ethereum's. */
  let derivesReceipts = true;

  const make = async (actors: Actors, block: ProvenBlock, making: Making): Promise<void> => {
    const { hash, number } = block;
    const { own, client, isFinal } = making;
    const receipts = derivesReceipts && own !== undefined && own.gas.size === own.raw.size;
    const evidence = await chain.evidence(hash, own && { raw: own.raw, receipts });
    // After the evidence: a block may leave the chain in between.
    if (isFinal !== true && (await chain.block(number))?.hash !== hash) {
      throw new Refusal('conflict', `the block ${hash} is not part of the chain any more; try again`);
    }
    if (evidence === undefined) {
      throw new Refusal('bad-gateway', `the node of the chain does not have the block ${hash} any more`);
    }
    const gas = own && (Object.fromEntries(own.gas) as GasUsed);
    const { index, result } = outputs(client ?? '', { blockHash: hash, evidence, gas });
    const output = (await result)[index]!;
    if ('unknown' in output) {
      if (evidence.receipts !== undefined)
        throw new Refusal('not-implemented', `no proof can be made: the chain has ${output.unknown}`);
      derivesReceipts = false;
      return make(actors, block, making);
    }
    await Promise.all(
      output.pages.map(({ number: page, text }) => {
        const put: PageEvent = { type: 'put', now: now(), text };
        return actors.ask(proofPageAddress(block.chain, hash, page), put);
      }),
    );
  };

  return {
    /**
     * Makes the proofs of all transactions of a block that recorded something, with one request to the node, and keeps them
     * for good. Throws `Refusal`: `conflict` if the block has left the chain, `bad-gateway` if the node lacks it,
     * `not-implemented` for a form that is not known, `unavailable` if too many wait; and `ChainUnavailable`.
     */
    keep(actors: Actors, block: ProvenBlock, making: Making = {}): Promise<void> {
      const found = running.get(block.hash);
      if (found !== undefined) return found;
      const made = make(actors, block, making).finally(() => running.delete(block.hash));
      running.set(block.hash, made);
      return made;
    },
    /** Returns the proof of a transaction; undefined if none is kept. */
    async kept(block: ProvenBlock, index: number): Promise<ProofInBlock | undefined> {
      const { chain: name, number, hash } = block;
      const text = await pageText(store, proofPageAddress(name, hash, pageOf(index)));
      return text === undefined ? undefined : proofIn(text, index, { number, hash });
    },
    /** Refuses what is in progress as `unavailable`. */
    close: () => thread.close(),
  };
}
