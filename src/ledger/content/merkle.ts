import type { Hex } from '../../chain/port.js';
import { hexOf, keccak } from '../../system/chain-bytes.js';
import type { ProofView } from '../shapes.js';

/**
 * Returns the Merkle tree over the hashes of a batch that OpenZeppelin's StandardMerkleTree builds from the same hashes as `bytes32`: leaves are hashed
 * twice and sorted, pairs are sorted. That library recomputes the root from the hashes in any order. With one hash the
 * root is its leaf and the proof is empty. Throws `RangeError` without hashes.
 */
export function merkleTree(hashes: readonly Hex[]) {
  if (hashes.length === 0) throw new RangeError('there is no Merkle tree of nothing');
  const leaves = hashes.map((hash, index) => ({ index, leaf: leafOf(hash) }));
  leaves.sort((a, b) => Buffer.compare(a.leaf, b.leaf));
  // Nodes lie as in a heap: the root first, the children of node i at 2i + 1 and 2i + 2.
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
    /** Returns the siblings on the way from the hash with this index up to the root, lowest first. */
    proof(index: number): Hex[] {
      const proof: Hex[] = [];
      for (let at = places[index]!; at > 0; at = (at - 1) >> 1)
        proof.push(texts[at % 2 === 0 ? at - 1 : at + 1]!);
      return proof;
    },
  };
}

/** Returns the root that the proof leads to from a hash. */
export function rootOf(hash: Hex, proof: readonly Hex[]): Hex {
  return hexOf(proof.reduce<Uint8Array>((node, sibling) => parentOf(node, bytesOf(sibling)), leafOf(hash)));
}

/** Returns the leaf of a hash, and each step from it up to the root. */
export function stepsOf(hash: Hex, proof: readonly Hex[]): Pick<ProofView, 'leaf' | 'steps'> {
  const leaf = hexOf(leafOf(hash));
  let below = leaf;
  const steps = proof.map((sibling) => {
    const [left, right] = below < sibling ? [below, sibling] : [sibling, below];
    const node = hexOf(parentOf(bytesOf(left), bytesOf(right)));
    below = node;
    return { left, right, sibling, node };
  });
  return { leaf, steps };
}

/** Hashes twice, so that no inner node can pass as a leaf. */
function leafOf(hash: Hex): Uint8Array {
  return keccak(keccak(bytesOf(hash)));
}

function parentOf(a: Uint8Array, b: Uint8Array): Uint8Array {
  return keccak(Buffer.concat(Buffer.compare(a, b) < 0 ? [a, b] : [b, a]));
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}
