import {
  bytesIn,
  bytesOf,
  bytesOfInteger,
  type Hex,
  hexOf,
  isSame,
  type Item,
  keccak,
  listIn,
} from './bytes.js';
import { rlpOf } from './rlp-bytes.js';

/** Returns the bytes that the last node has as its last item: of a leaf, its value. Throws an `Error` for another form. */
export function lastValue(nodes: readonly Hex[]): Uint8Array {
  return bytesIn(listIn(bytesOf(nodes.at(-1)!)).at(-1));
}

/** Where a node leads. */
interface Way {
  /** The part of the path that the node has, in hexadecimal digits. */
  readonly own: string;
  readonly isLeaf: boolean;
  /** The value of a leaf, else the hash of the next node. */
  readonly next: Item | undefined;
}

/**
 * Returns the root of the trie in which the nodes, from the root to a leaf, are the way to the value at an index; the number
 * of the first node, from 1, that is not on this way. A value of a trie of transactions or receipts is longer than 32 bytes, so
 * that no node on the way is part of another one. Throws an `Error` for a node of another form.
 */
export function rootOfWay(nodes: readonly Hex[], index: number): Uint8Array | number {
  let path = hexOf(rlpOf(bytesOfInteger(BigInt(index)))).slice(2);
  let wanted: Item | undefined;
  for (const [i, node] of nodes.entries()) {
    const bytes = bytesOf(node);
    const way = wayAt(listIn(bytes), path);
    const isHashed = i === 0 || (wanted instanceof Uint8Array && isSame(wanted, keccak(bytes)));
    if (!isHashed || way === undefined || way.isLeaf !== (i === nodes.length - 1)) return i + 1;
    path = path.slice(way.own.length);
    wanted = way.next;
  }
  return keccak(bytesOf(nodes[0]!));
}

/** Returns undefined for a node that is not on the path. */
function wayAt(node: readonly Item[], path: string): Way | undefined {
  // No index is the beginning of another one: the path does not end at a branch.
  if (node.length === 17 && path !== '')
    return { own: path[0]!, isLeaf: false, next: node[Number.parseInt(path[0]!, 16)] };
  if (node.length !== 2) return undefined;
  const compact = hexOf(bytesIn(node[0])).slice(2);
  // The first digit: 2 for a leaf, 1 for an odd number of digits after it. Otherwise a zero follows it.
  if (!/^(?:[13]|[02]0)/.test(compact)) return undefined;
  const flag = Number(compact[0]);
  const own = compact.slice(flag % 2 === 1 ? 1 : 2);
  const isLeaf = flag > 1;
  return path.startsWith(own) && (own === path || !isLeaf) ? { own, isLeaf, next: node[1] } : undefined;
}
