import { type Hex, hexOf, keccak } from '../../system/chain-bytes.js';
import { stepsOf } from '../content/merkle.js';
import type { BlockProofView, ProofFile } from '../shapes.js';

/** Returns a proof file with the hashes on its way from the content to the block. */
export function blockProofView(transactionHash: Hex, file: ProofFile): BlockProofView {
  const { hash, batch, receipt, transaction } = file;
  const way = batch === undefined ? undefined : stepsOf(hash, batch.proof);
  return {
    file,
    transactionHash,
    batch: way === undefined ? null : { leaf: way.leaf, root: way.steps.at(-1)?.node ?? way.leaf },
    receiptNodes: receipt.proof.map(hashOfNode),
    transactionNodes: transaction.proof.map(hashOfNode),
  };
}

function hashOfNode(node: Hex): Hex {
  return hexOf(keccak(Buffer.from(node.slice(2), 'hex')));
}
