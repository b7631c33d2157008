import type { Hex } from '../../chain/port.js';
import { hexOf, keccak } from '../../system/chain-bytes.js';

/** A Merkle tree over the hashes of a batch. */
export interface MerkleTree {
  readonly root: Hex;
  /** What leads from the hash with this index up to the root, lowest first. */
  proof(index: number): Hex[];
}

/**
 * The tree that OpenZeppelin's StandardMerkleTree makes of the same hashes as `bytes32`, so that its root can be
 * recomputed with that library from the hashes in any order: leaves are hashed twice and sorted, pairs are sorted. One
 * hash: the root is its leaf, the proof is empty. Throws `RangeError` for no hash at all.
 */
export function merkleTree(hashes: readonly Hex[]): MerkleTree {
  if (hashes.length === 0) throw new RangeError('there is no Merkle tree of nothing');
  const leaves = hashes.map((hash, index) => ({ index, leaf: leafOf(hash) }));
  leaves.sort((a, b) => Buffer.compare(a.leaf, b.leaf));
  // A heap: the root comes first, the children of node i are 2i + 1 and 2i + 2.
  const last = 2 * leaves.length - 2;
  const nodes = Array.from<Uint8Array>({ length: last + 1 });
  const places = Array.from<number>({ length: leaves.length });
  leaves.forEach(({ index, leaf }, rank) => {
    nodes[last - rank] = leaf;
    places[index] = last - rank;
  });
  for (let i = last - leaves.length; i >= 0; i -= 1)
    nodes[i] = parentOf(nodes[2 * i + 1]!, nodes[2 * i + 2]!);
  const texts = nodes.map(hexOf);
  return {
    root: texts[0]!,
    proof(index) {
      const proof: Hex[] = [];
      for (let at = places[index]!; at > 0; at = (at - 1) >> 1)
        proof.push(texts[at % 2 === 0 ? at - 1 : at + 1]!);
      return proof;
    },
  };
}

/** The root of the tree that a hash with this proof is in. */
export function rootOf(hash: Hex, proof: readonly Hex[]): Hex {
  return hexOf(proof.reduce<Uint8Array>((node, sibling) => parentOf(node, bytesOf(sibling)), leafOf(hash)));
}

/** Hashed twice, so that no inner node of a tree can be passed off as a leaf. */
function leafOf(hash: Hex): Uint8Array {
  return keccak(keccak(bytesOf(hash)));
}

function parentOf(a: Uint8Array, b: Uint8Array): Uint8Array {
  return keccak(Buffer.concat(Buffer.compare(a, b) < 0 ? [a, b] : [b, a]));
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}
