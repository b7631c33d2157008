import type { PendingNonce } from '../account/pending-nonces.js';
import type { BroadcastManner } from './broadcast.js';
import type { Ending, PendingTransaction } from './broadcast-attempt.js';
import type { MiningWait } from './mining-wait.js';
import type { SignedTransaction } from '../signed-transaction.js';

/** An open transaction in the queue of its account. */
export interface Entry extends PendingTransaction {
  readonly manner: BroadcastManner;
  resolve(ending: Ending): void;
  reject(error: unknown): void;
  attempting: boolean;
  over: boolean;
  since: number;
  /** When it was signed last, ms since the epoch. */
  signedAt: number;
  refusedForPrice: boolean;
  /** Number of the newest block when the broadcast began; undefined if none was known. */
  head: number | undefined;
}

/** The circumstances in which a broadcast begins. */
interface Beginning {
  /** ms since the epoch. */
  readonly now: number;
  /** Number of the newest block; undefined if none is known. */
  readonly head: number | undefined;
  readonly wait: MiningWait | undefined;
}

/** Makes the entry of a transaction that this broadcast has not sent yet. */
export function pendingEntry(
  signed: SignedTransaction,
  manner: BroadcastManner,
  beginning: Beginning,
): Entry {
  const { hash, raw } = signed;
  const { now, head, wait } = beginning;
  let resolve!: Entry['resolve'];
  let reject!: Entry['reject'];
  const ended = new Promise<Ending>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  // The caller reads the failure later, or not at all.
  ended.catch(() => undefined);
  return {
    signed,
    manner,
    ended,
    since: now,
    signedAt: now,
    head,
    signatures: [{ hash, raw }, ...(manner.replacements ?? [])],
    maybeBroadcast: manner.maybeBroadcast,
    taken: false,
    attempts: 0,
    detail: undefined,
    answered: false,
    wait,
    waitIsStale: false,
    attempting: false,
    over: false,
    refusedForPrice: false,
    resolve,
    reject,
  };
}

/** Returns an open transaction as operators see it. */
export function pendingNonce({
  signed,
  signatures,
  since,
  attempts,
  taken,
  detail,
  answered,
}: Entry): PendingNonce {
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

/** Signs a transaction again at a higher price. Resolves with false if that cannot be done now. */
export async function signAgain(entry: Entry, now: () => number): Promise<boolean> {
  const { manner, signatures } = entry;
  const known = signatures.length - 1;
  // A wallet or a store that fails is asked again at the next attempt.
  const replacement = await manner.replace?.(signatures[known]!.raw, known).catch(() => undefined);
  if (replacement === undefined || entry.over) return false;
  signatures.push(replacement);
  entry.signedAt = now();
  entry.taken = false;
  entry.waitIsStale = true;
  return true;
}
