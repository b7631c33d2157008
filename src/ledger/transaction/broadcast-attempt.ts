import { setTimeout as delay } from 'node:timers/promises';
import { type Chain, type ChainReceipt, ChainUnavailable, type Hex, type Sent } from '../../chain/port.js';
import type { MiningWait } from './mining-wait.js';
import type { SignedTransaction } from '../signed-transaction.js';
import type { RefusalReason } from './transaction-machine.js';

/** The chain, as a broadcast uses it. */
export type BroadcastChain = Pick<
  Chain,
  'send' | 'mined' | 'nextNonce' | 'receipt' | 'transaction' | 'checkContract' | 'contractMissing'
>;

/** How a broadcast ended. */
export type Ending =
  | { readonly is: 'mined'; readonly receipt: ChainReceipt }
  | { readonly is: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** A signed transaction with all signatures of its nonce and content. */
export interface PendingTransaction {
  readonly signed: SignedTransaction;
  readonly ended: Promise<Ending>;
  /** When the broadcast began, ms since the epoch. */
  readonly since: number;
  /** The signatures, newest last. */
  readonly signatures: { readonly hash: Hex; readonly raw: Hex }[];
  /** True if any node may have the transaction. */
  maybeBroadcast: boolean;
  /** True if the node's last answer was that it has the transaction. */
  taken: boolean;
  attempts: number;
  /** The node's last answer, if it did not take the transaction, or the reason why it gave none. */
  detail: string | undefined;
  /** True if `detail` is an answer of the node. */
  answered: boolean;
  /** Waits for the block; undefined before there is anything to wait for. */
  wait: MiningWait | undefined;
  /** True if the wait must ask the node about the transaction again. */
  waitIsStale: boolean;
}

/** The result of an attempt to send a transaction. */
export type Attempt =
  | { readonly is: 'taken'; readonly forgotten: boolean }
  | { readonly is: 'not-taken'; readonly why: 'price' | 'other' }
  | { readonly is: 'ended'; readonly ending: Ending };

/** Time for which a nonce must look used by another transaction, ms. Two nodes behind one address may disagree. */
const SURE_MS = 1_000;

/**
 * Makes one attempt to send a transaction. The transaction ends if another one has used its nonce, or if the node gives a
 * known refusal and no node may have it. After any other error, a lost connection or a timeout, a node may have it.
 */
export async function attempt(
  chain: BroadcastChain,
  open: PendingTransaction,
  stopped: AbortSignal,
  onHeld: (hash: Hex, detail: string) => void,
): Promise<Attempt> {
  const before = open.taken;
  const { hash } = open.signed;
  const sent = await answerOf(chain, open);
  if (sent.is !== 'unsent') open.attempts += 1;
  open.taken = sent.is === 'sent';
  open.detail = sent.is === 'sent' ? undefined : sent.detail;
  if (sent.is === 'sent') {
    open.maybeBroadcast = true;
    return { is: 'taken', forgotten: before && !sent.known };
  }
  if (sent.is === 'unsent') return { is: 'not-taken', why: 'other' };
  if (sent.is === 'unknown') {
    open.maybeBroadcast = true;
    return { is: 'not-taken', why: sent.why === 'price' ? 'price' : 'other' };
  }
  if (sent.is === 'nonce-used') {
    if (await isReplaced(chain, open, stopped)) {
      return { is: 'ended', ending: { is: 'refused', reason: 'nonce-used', detail: sent.detail } };
    }
    // The transaction itself has used the nonce. Its block may be among those that were searched already.
    open.maybeBroadcast = true;
    open.waitIsStale = true;
    open.taken = true;
    return { is: 'taken', forgotten: false };
  }
  open.maybeBroadcast ||= (await chain.transaction(hash)) !== undefined;
  if (!open.maybeBroadcast) {
    const reason = sent.reason === 'funds' ? 'funds' : 'refused';
    return { is: 'ended', ending: { is: 'refused', reason, detail: sent.detail } };
  }
  open.waitIsStale = true;
  onHeld(hash, sent.detail);
  return { is: 'not-taken', why: 'other' };
}

/** Returns the answer to the newest signature that the node does not refuse: an earlier one costs less. */
async function answerOf(chain: BroadcastChain, open: PendingTransaction): Promise<Sent> {
  let newest: Sent | undefined;
  for (const { raw } of open.signatures.toReversed()) {
    const sent = await sendRaw(chain, open, raw);
    if (sent.is !== 'refused') return sent;
    newest ??= sent;
  }
  return newest!;
}

async function sendRaw(chain: BroadcastChain, open: PendingTransaction, raw: Hex): Promise<Sent> {
  try {
    const sent = await chain.send(raw);
    open.answered = sent.is !== 'unsent';
    return sent;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    open.answered = false;
    return { is: 'unknown', why: 'error', detail: error.message };
  }
}

/** Returns true if another transaction has used the nonce, now and `SURE_MS` later. */
async function isReplaced(
  chain: BroadcastChain,
  open: PendingTransaction,
  stopped: AbortSignal,
): Promise<boolean> {
  try {
    if (!(await looksReplaced(chain, open))) return false;
    await delay(SURE_MS, undefined, { signal: stopped });
    return await looksReplaced(chain, open);
  } catch (error) {
    if (error instanceof ChainUnavailable) return false;
    throw error;
  }
}

async function looksReplaced(
  chain: BroadcastChain,
  { signed, signatures }: PendingTransaction,
): Promise<boolean> {
  if ((await chain.nextNonce(signed.operation.account, 'latest')) <= signed.nonce) return false;
  for (const { hash } of signatures) {
    if ((await chain.receipt(hash)) !== undefined) return false;
    if ((await chain.transaction(hash)) !== undefined) return false;
  }
  return true;
}
