import { lowerPriority } from '../../system/thread-priority.js';
import { type BodyOrder, serveOrders } from '../../untrusted/body-thread.js';
import { blockProofs } from './block-proofs.js';
import { UnknownForm } from './json-fields.js';
import type { ProofInput, ProofOutput } from './proof-keeper.js';
import { proofPages } from './proof-page.js';

// The worker thread that makes proofs of blocks. Nobody's answer depends on it but that of who asks for a proof.

lowerPriority();
serveOrders(async ({ bytes }: BodyOrder): Promise<readonly ProofOutput[]> => {
  const inputs = JSON.parse(bytes.toString()) as readonly ProofInput[];
  const outputs: ProofOutput[] = [];
  for (const input of inputs) outputs.push(await outputOf(input));
  return outputs;
});

async function outputOf({ blockHash, evidence, gas }: ProofInput): Promise<ProofOutput> {
  try {
    return { pages: proofPages(await blockProofs(blockHash, evidence, gas)) };
  } catch (error) {
    if (!(error instanceof UnknownForm)) throw error;
    return { unknown: error.message };
  }
}
