import type { Hex } from '../../chain/port.js';
import { oneLine } from '../../untrusted/text.js';
import type { ExplainedNonce } from '../shapes.js';
import type { SignedTransaction } from '../signed-transaction.js';
import { isoOf } from '../../system/iso.js';

/** A pending nonce of an account on this node of the service. */
export interface PendingNonce {
  readonly account: Hex;
  readonly nonce: number;
  /** Hash of the first signature, and of its replacements, oldest first. */
  readonly hash: Hex;
  readonly replacements: readonly Hex[];
  /** When the broadcast began, ms since the epoch. */
  readonly since: number;
  /** Number of times that the transaction was sent. */
  readonly attempts: number;
  /** True if the node's last answer was that it has the transaction. */
  readonly taken: boolean;
  /**
   * The last answer of the chain's node if it did not accept the transaction. Without an answer, the reason why there
   * is none.
   */
  readonly detail: string | undefined;
  /** True if `detail` is an answer of the node. */
  readonly answered: boolean;
}

/** An account as the store has it. `chain` is a chain's name. */
export interface StoredAccount {
  readonly chain: string;
  readonly account: Hex;
  /** Nonces below `next` that have no transaction, in ascending order. */
  readonly free: readonly number[];
}

/** A signed transaction that the store has and that is in no block. */
export type StoredNonce = Pick<PendingNonce, 'nonce' | 'hash' | 'replacements'>;

/** Pending nonces, as this node of the service knows them. */
export interface NodeView {
  /** Name of the chain that the node is on; undefined while it is not known. */
  readonly chain: string | undefined;
  /** Number of blocks that a transaction needs, its own included. */
  readonly confirmations: number;
  /** True if the service may have other nodes. */
  readonly hasOthers: boolean;
  /** The pending nonces whose transactions this node sends. */
  readonly carried: readonly PendingNonce[];
}

/** Maximum number of characters of a node's answer. */
const DETAIL_LENGTH = 300;

/** Returns what the store has of a signed transaction. */
export function storedNonce(
  { nonce, hash }: SignedTransaction,
  replacements: readonly { readonly hash: Hex }[] = [],
): StoredNonce {
  return { nonce, hash, replacements: replacements.map((one) => one.hash) };
}

/**
 * Merges the pending nonces of an account in the store with those whose transactions this node sends. Returns them in
 * ascending order, each with the reason why it waits.
 */
export function explainPendingNonces(
  stored: StoredAccount,
  transactions: readonly StoredNonce[],
  node: NodeView,
): readonly ExplainedNonce[] {
  const isHere = node.chain === stored.chain;
  const carried = new Map<Hex, PendingNonce>();
  for (const one of isHere ? node.carried : [])
    if (one.account === stored.account) carried.set(one.hash, one);
  const known = new Map<Hex, StoredNonce>();
  for (const one of [...carried.values(), ...transactions]) {
    const before = known.get(one.hash);
    // A replacement that was signed a moment ago is in only one of the two lists.
    if (before === undefined || before.replacements.length < one.replacements.length)
      known.set(one.hash, one);
  }
  const open = [...known.values()].toSorted((a, b) => a.nonce - b.nonce);
  const missing = open
    .filter(({ hash }) => carried.get(hash)?.taken !== true)
    .map(({ nonce }) => nonce)
    .concat(stored.free)
    .toSorted((a, b) => a - b);
  return open.map(({ nonce, hash, replacements }) => {
    const here = carried.get(hash);
    const lowest = missing[0];
    const waitsFor = lowest !== undefined && lowest < nonce ? lowest : undefined;
    return {
      nonce,
      transactionHash: hash,
      replacements,
      since: here === undefined ? null : isoOf(here.since),
      attempts: here?.attempts ?? 0,
      why: here === undefined ? whyElsewhere(stored, node) : whyHere(here, node.confirmations, waitsFor),
    };
  });
}

/** Returns why a nonce waits whose transaction this node does not send. */
function whyElsewhere({ chain }: StoredAccount, node: NodeView): string {
  if (node.chain === undefined) return 'The chain’s node was not reached since the start of the service.';
  if (node.chain !== chain)
    return `It belongs to chain ${chain}; CHAIN_RPC_URL leads to chain ${node.chain}.`;
  if (node.hasOthers) return 'The wallet’s account remembers it; another node of the service carries it.';
  return 'The wallet’s account remembers it; the service begins to send it.';
}

/**
 * Returns why a nonce waits whose transaction this node sends. `waitsFor`: a lower nonce that the chain's node does
 * not have.
 */
function whyHere(
  { taken, detail, answered }: PendingNonce,
  confirmations: number,
  waitsFor: number | undefined,
): string {
  const text = detail === undefined ? undefined : oneLine(detail, DETAIL_LENGTH).replace(/\.+$/, '');
  if (waitsFor !== undefined) {
    const answer = answered && text !== undefined ? `; the node answered: ${text}` : '';
    return `Waits for nonce ${waitsFor}${answer}.`;
  }
  if (taken && confirmations > 1) {
    return `The node has it; it is in no block yet, or under fewer than ${confirmations} blocks.`;
  }
  if (taken) return 'The node has it; it is in no block yet.';
  if (text === undefined) return 'It is being sent.';
  return answered ? `The node answered: ${text}.` : `${text}.`;
}
