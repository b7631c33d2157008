import { RLP } from '@ethereumjs/rlp';
import { type Hex, hexOf, keccak } from '../../system/chain-bytes.js';

/** The Merkle-Patricia trie over what is in a block: under the RLP of its index, each transaction or each receipt. */
export interface BlockTrie {
  readonly root: Hex;
  /** The nodes from the root to the leaf of an index. */
  proof(index: number): Promise<readonly Uint8Array[]>;
}

/** Makes the trie of values in the order of their transactions. */
export async function blockTrie(values: readonly Uint8Array[]): Promise<BlockTrie> {
  // Loaded by who makes proofs only.
  const { createMPT, createMerkleProof } = await import('@ethereumjs/mpt');
  // Its own hash function takes three times as long.
  const trie = await createMPT({ useKeyHashingFunction: keccak });
  for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value);
  return {
    root: hexOf(trie.root()),
    proof: (index) => createMerkleProof(trie, RLP.encode(index)),
  };
}
