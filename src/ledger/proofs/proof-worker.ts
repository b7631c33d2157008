import { Refusal } from '../../errors.js';
import { lowerPriority } from '../../system/thread-priority.js';
import { serveOrders } from '../../untrusted/body-thread.js';
import { blockProofs } from './block-proofs.js';
import { UnknownForm } from './json-fields.js';
import type { ProofInput, ProofOrder } from './proof-keeper.js';
import { type ProofPage, proofPages } from './proof-page.js';

// The worker thread that makes proofs of blocks. Nobody's answer depends on it but that of who asks for a proof.

lowerPriority();
serveOrders(pagesOf);

async function pagesOf({ blockHash, bytes }: ProofOrder): Promise<readonly ProofPage[]> {
  try {
    const { evidence, gas } = JSON.parse(bytes.toString()) as ProofInput;
    return proofPages(await blockProofs(blockHash, evidence, gas));
  } catch (error) {
    if (!(error instanceof UnknownForm)) throw error;
    throw new Refusal('not-implemented', `no proof can be made: the chain has ${error.message}`);
  }
}
