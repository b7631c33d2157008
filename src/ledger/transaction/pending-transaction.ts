import { setTimeout as delay } from 'node:timers/promises';
import { type Chain, ChainUnavailable, type Hex, type Mined, type Sent } from '../../chain/port.js';
import type { SigningResult } from '../../wallets/port.js';
import type { PendingNonce } from '../account/pending-nonces.js';
import type { ChainRefusal, Outcome, SignedTransaction } from '../signed-transaction.js';

/** The chain, as pending transactions use it. */
export type BroadcastChain = Pick<
  Chain,
  'send' | 'mined' | 'nextNonce' | 'receipt' | 'transaction' | 'checkContract' | 'contractMissing'
> &
  Partial<Pick<Chain, 'head'>>;

/** How a transaction is broadcast. */
export interface BroadcastManner {
  /** True if any node may have the transaction already. A refusal is not final then. */
  readonly maybeBroadcast: boolean;
  /** Earlier signatures of the same nonce and content at higher prices, oldest first. */
  readonly replacements?: readonly SigningResult[];
  /** Signs the same nonce and content at a higher price and makes that durable; undefined if it cannot be done now. */
  readonly replace?: (newest: Hex, replacements: number) => Promise<SigningResult | undefined>;
}

/** A transaction that is signed, committed and in no block, as this node of the service sends it. */
export class PendingTransaction {
  readonly replace: BroadcastManner['replace'];
  /** Resolves when the transaction is in a block, or when the chain will never have it. Rejects when stopped or cancelled. */
  readonly outcome: Promise<Outcome>;
  /** Settle `outcome`. */
  resolve!: (outcome: Outcome) => void;
  reject!: (error: unknown) => void;
  over = false;
  /** The signatures of its nonce and content: the first one, and the replacements, newest last. */
  readonly signatures: SigningResult[];
  /** When it was signed last, ms since the epoch. */
  signedAt: number;
  /** True if any node may have the transaction. */
  maybeBroadcast: boolean;
  /** True while an attempt to send it is under way. */
  attempting = false;
  attempts = 0;
  /** True if the node's last answer was that it has the transaction. */
  taken = false;
  refusedForPrice = false;
  /** The node's last answer, if it did not take the transaction, or the reason why it gave none. */
  detail: string | undefined = undefined;
  /** True if `detail` is an answer of the node. */
  answered = false;
  /** Waits for the block of any of its signatures; undefined before there is anything to wait for. */
  wait: Mined | undefined = undefined;
  /** True if the wait must ask the node about the transaction again. */
  waitIsStale = false;

  /**
   * `since`: when the broadcast begins, ms since the epoch. `head`: number of the newest block then; undefined if none is
   * known.
   */
  constructor(
    readonly signed: SignedTransaction,
    { maybeBroadcast, replacements = [], replace }: BroadcastManner,
    public since: number,
    public head: number | undefined,
  ) {
    const { hash, raw } = signed;
    this.signatures = [{ hash, raw }, ...replacements];
    this.signedAt = since;
    this.maybeBroadcast = maybeBroadcast;
    this.replace = replace;
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // The caller reads the failure later, or not at all.
    this.outcome.catch(() => undefined);
  }
}

/** Returns a pending transaction as operators see it. */
export function pendingNonce(pending: PendingTransaction): PendingNonce {
  const { signed, signatures, since, attempts, taken, detail, answered } = pending;
  return {
    account: signed.operation.account,
    nonce: signed.nonce,
    hash: signed.hash,
    replacements: signatures.slice(1).map(({ hash }) => hash),
    since,
    attempts,
    taken,
    detail,
    answered,
  };
}

/** Waits for the block of any signature under `confirmations` blocks; `unsent` as in `Chain.mined`. */
export function miningWait(
  chain: Pick<Chain, 'mined'>,
  { signatures }: PendingTransaction,
  confirmations: number,
  unsent?: 'unsent',
): Mined {
  const waits = signatures.map(({ hash }) => chain.mined(hash, confirmations, unsent));
  const [only] = waits;
  const receipt = waits.length === 1 ? only!.receipt : Promise.race(waits.map((wait) => wait.receipt));
  const stop = (reason: Error): void => waits.forEach((wait) => wait.stop(reason));
  // A wait that was stopped, or lost the race, rejects without a reader.
  for (const wait of waits) wait.receipt.catch(() => undefined);
  receipt.catch(() => undefined);
  return { receipt, stop };
}

/** Signs a transaction again at a higher price. Resolves with false if that cannot be done now. */
export async function signAgain(pending: PendingTransaction, now: () => number): Promise<boolean> {
  const { replace, signatures } = pending;
  const known = signatures.length - 1;
  // A wallet or a store that fails is asked again at the next attempt.
  const replacement = await replace?.(signatures[known]!.raw, known).catch(() => undefined);
  if (replacement === undefined || pending.over) return false;
  signatures.push(replacement);
  pending.signedAt = now();
  pending.taken = false;
  pending.waitIsStale = true;
  return true;
}

/** The result of an attempt to send a transaction. */
export type AttemptResult =
  | { readonly is: 'taken'; readonly forgotten: boolean }
  | { readonly is: 'not-taken'; readonly why: 'price' | 'other' }
  | { readonly is: 'ended'; readonly outcome: Outcome };

/** Time for which a nonce must look used by another transaction, ms. Two nodes at one address may disagree. */
const SURE_MS = 1_000;

/**
 * Makes one attempt to send a transaction. The transaction ends if another one has used its nonce, or if the node gives a
 * known refusal and no node may have it. After any other error, a lost connection or a timeout, a node may have it.
 */
export async function attempt(
  chain: BroadcastChain,
  pending: PendingTransaction,
  stopped: AbortSignal,
  onHeld: (hash: Hex, detail: string) => void,
): Promise<AttemptResult> {
  const before = pending.taken;
  const { hash } = pending.signed;
  const sent = await answerOf(chain, pending);
  if (sent.is !== 'unsent') pending.attempts += 1;
  pending.taken = sent.is === 'sent';
  pending.detail = sent.is === 'sent' ? undefined : sent.detail;
  if (sent.is === 'sent') {
    pending.maybeBroadcast = true;
    return { is: 'taken', forgotten: before && !sent.known };
  }
  if (sent.is === 'unsent') return { is: 'not-taken', why: 'other' };
  if (sent.is === 'unknown') {
    pending.maybeBroadcast = true;
    return { is: 'not-taken', why: sent.why === 'price' ? 'price' : 'other' };
  }
  if (sent.is === 'nonce-used') {
    if (await isReplaced(chain, pending, stopped)) return refused('nonce-used', sent.detail);
    // The transaction itself has used the nonce. Its block may be among those that were searched already.
    pending.maybeBroadcast = true;
    pending.waitIsStale = true;
    pending.taken = true;
    return { is: 'taken', forgotten: false };
  }
  pending.maybeBroadcast ||= (await chain.transaction(hash)) !== undefined;
  if (!pending.maybeBroadcast) return refused(sent.reason === 'funds' ? 'funds' : 'refused', sent.detail);
  pending.waitIsStale = true;
  onHeld(hash, sent.detail);
  return { is: 'not-taken', why: 'other' };
}

function refused(reason: ChainRefusal['reason'], detail: string): AttemptResult {
  return { is: 'ended', outcome: { is: 'refused', reason, detail } };
}

/** Returns the answer to the newest signature that the node does not refuse: an earlier one costs less. */
async function answerOf(chain: BroadcastChain, pending: PendingTransaction): Promise<Sent> {
  let newest: Sent | undefined;
  for (const { raw } of pending.signatures.toReversed()) {
    const sent = await sendRaw(chain, pending, raw);
    if (sent.is !== 'refused') return sent;
    newest ??= sent;
  }
  return newest!;
}

async function sendRaw(chain: BroadcastChain, pending: PendingTransaction, raw: Hex): Promise<Sent> {
  try {
    const sent = await chain.send(raw);
    pending.answered = sent.is !== 'unsent';
    return sent;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    pending.answered = false;
    return { is: 'unknown', why: 'error', detail: error.message };
  }
}

/** Returns true if another transaction has used the nonce, now and `SURE_MS` later. */
async function isReplaced(
  chain: BroadcastChain,
  pending: PendingTransaction,
  stopped: AbortSignal,
): Promise<boolean> {
  try {
    if (!(await seemsReplaced(chain, pending))) return false;
    await delay(SURE_MS, undefined, { signal: stopped });
    return await seemsReplaced(chain, pending);
  } catch (error) {
    if (error instanceof ChainUnavailable) return false;
    throw error;
  }
}

async function seemsReplaced(
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
