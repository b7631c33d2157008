import { RLP } from '@ethereumjs/rlp';
import { type Hex, hexOf, keccak } from '../../system/chain-bytes.js';
import type { Item } from '../proof-file/bytes.js';
import { pooledRlp } from './json-fields.js';

/** The Merkle-Patricia trie over what is in a block: under the RLP of its index, each transaction or each receipt. */
export interface BlockTrie {
  readonly root: Hex;
  /** For each index, the nodes from the root to the leaf. */
  readonly proofs: readonly (readonly Uint8Array[])[];
}

/** A value under its key, which is in nibbles. */
interface Entry {
  readonly index: number;
  readonly key: readonly number[];
  readonly value: Uint8Array;
}

/** The root of a trie without values. */
const EMPTY_ROOT = hexOf(keccak(RLP.encode(new Uint8Array())));

/**
 * Makes the trie of values in the order of their transactions. Its nodes are made from the leaves up, each once: the trie of
 * the same package makes the nodes above each new leaf again, which takes twenty times as long. Each value has more than 32
 * bytes, so that each node is named by its hash.
 */
export async function blockTrie(values: readonly Uint8Array[]): Promise<BlockTrie> {
  // Loaded by who makes proofs only.
  const { BranchMPTNode, ExtensionMPTNode, LeafMPTNode } = await import('@ethereumjs/mpt');
  const entries = values.map((value, index): Entry => ({ index, key: nibblesOf(index), value }));
  const proofs = entries.map((): Uint8Array[] => []);

  /** Makes the node of entries whose keys are equal up to `depth`, and the nodes below it. Returns its hash. */
  const nodeOf = (some: readonly Entry[], depth: number): Uint8Array => {
    const node = pooledRlp(some.length === 1 ? leafOf(some[0]!, depth) : innerOf(some, depth));
    for (const { index } of some) proofs[index]!.push(node);
    return keccak(node);
  };
  const leafOf = ({ index, key, value }: Entry, depth: number): Item => {
    const paths = (leafPaths[index] ??= []);
    paths[depth] ??= new LeafMPTNode(key.slice(depth), NOTHING).raw()[0];
    return [paths[depth], value];
  };
  const innerOf = (some: readonly Entry[], depth: number): Item => {
    const [{ key }] = some as readonly [Entry];
    const fork = forkOf(some, depth);
    return fork > depth
      ? new ExtensionMPTNode(key.slice(depth, fork), nodeOf(some, fork)).raw()
      : branchOf(some, depth);
  };
  const branchOf = (some: readonly Entry[], depth: number): Item => {
    const below: Entry[][] = [];
    for (const entry of some) (below[entry.key[depth]!] ??= []).push(entry);
    const branch = new BranchMPTNode();
    for (const [nibble, entries] of below.entries())
      if (entries !== undefined) branch.setBranch(nibble, nodeOf(entries, depth + 1));
    return branch.raw().map((one) => one ?? NOTHING);
  };

  const root = entries.length === 0 ? EMPTY_ROOT : hexOf(nodeOf(entries, 0));
  return { root, proofs: proofs.map((upwards) => upwards.toReversed()) };
}

/** The depth at which the keys of entries differ first. */
function forkOf(some: readonly Entry[], from: number): number {
  const [{ key }] = some as readonly [Entry];
  let depth = from;
  while (depth < key.length && some.every((one) => one.key[depth] === key[depth])) depth += 1;
  return depth;
}

const NOTHING = new Uint8Array();
/** The keys of indexes, and the path in a leaf at each depth, which are the same in each block. */
const keys: (readonly number[])[] = [];
const leafPaths: Uint8Array[][] = [];

/** The key of an index, in nibbles. */
function nibblesOf(index: number): readonly number[] {
  return (keys[index] ??= [...RLP.encode(index)].flatMap((byte) => [byte >> 4, byte & 15]));
}
