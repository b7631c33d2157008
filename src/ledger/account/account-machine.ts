import { setup } from 'xstate';
import { keptText } from '../../actors/behavior.js';
import { decides, following } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import { type PerformedEvent, removePerformed } from '../../actors/outbox.js';
import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { SignedTransaction } from '../signed-transaction.js';

/** The context of an account. */
export interface AccountContext extends ActorContext {
  /** The nonce of the next transaction if no lower nonce is free; undefined before the first was signed. */
  readonly next: number | undefined;
  /** Nonces below `next` whose transactions were refused, in ascending order. They are used before `next`. */
  readonly free: readonly number[];
  /** Hashes of refused transactions, newest last. The nonce of each is released once. */
  readonly released: readonly Hex[];
  /** Number of nonces released so far. */
  readonly refusals: number;
  /**
   * Claims of Idempotency-Keys that other requests have taken over, newest last: no transaction is accepted for them. Only
   * the newest are remembered.
   */
  readonly fences: readonly string[];
  readonly outbox: readonly DispatchEffect[];
}

/** The pipeline carries a signed transaction. */
export interface DispatchEffect extends OutboxEntry {
  readonly type: 'dispatch';
  readonly transaction: SignedTransaction;
}

/** The nonces that come next. */
export interface Nonces {
  readonly next: number;
  readonly free: readonly number[];
  /**
   * Number of nonces released so far. A transaction with a released nonce must differ from the refused one, also if the
   * operation is the same: a transaction is known by its hash, and that hash stays refused.
   */
  readonly refusals: number;
}

/** The reply to `signed`. */
export interface Accepted extends Nonces {
  /** Number of transactions accepted, from the first one on. */
  readonly accepted: number;
  /** True if the first transaction that was not accepted belongs to a claim that another request has taken over. */
  readonly fenced: boolean;
}

export type AccountEvent = ActorEvent &
  (
    | PerformedEvent
    /** The chain has used the nonces below `next`. Replies with `Nonces`. */
    | { readonly type: 'follow'; readonly next: number }
    /**
     * Transactions in the order of their nonces. `since` has for each the `newestFence` from before its claim was made.
     * Replies with `Accepted`.
     */
    | {
        readonly type: 'signed';
        readonly transactions: readonly SignedTransaction[];
        readonly since?: readonly (string | undefined)[];
      }
    /** A transaction was refused and is never sent again: its nonce is free. */
    | { readonly type: 'release'; readonly nonce: number; readonly hash: Hex }
    /** No transaction is accepted for these claims from now on. Replies with the hash of one in the outbox, if any. */
    | { readonly type: 'fence'; readonly claims: readonly string[] }
    | { readonly type: 'wake' }
  );

/** Maximum number of transactions in the outbox. */
const MAX_WAITING = 2_000;
/** Maximum length of `released` and of `fences`. An event about an entry comes within seconds. */
const REMEMBERED = 256;

/** The states that follow from the context of an account. */
const STATES = ['idle', 'dispatching', 'stalled'] as const;
type AccountState = (typeof STATES)[number];

/**
 * Returns the state of an account: `stalled` while a nonce is free below the next one, since later nonces wait for it;
 * `dispatching` while its outbox has transactions; otherwise `idle`.
 */
export function stateOf({ free, outbox }: Pick<AccountContext, 'free' | 'outbox'>): AccountState {
  if (free.length > 0) return 'stalled';
  return outbox.length > 0 ? 'dispatching' : 'idle';
}

/**
 * The machine of an account. Its events change the context, and the state follows: see `stateOf`. The commit that accepts
 * a transaction also uses its nonce, so nonces have neither gaps nor repeats after any crash. No transaction is sent
 * before the transactions with lower nonces are committed.
 */
export const accountMachine = setup({
  types: { context: {} as AccountContext, events: {} as AccountEvent },
}).createMachine({
  id: 'account',
  context: {
    next: undefined,
    free: [],
    released: [],
    refusals: 0,
    fences: [],
    outbox: [],
    wakeAt: undefined,
    reply: undefined,
  },
  initial: 'idle',
  on: {
    follow: { actions: decides(follow) },
    signed: { actions: decides(accept) },
    performed: { actions: decides(removePerformed) },
    release: { actions: decides(release) },
    fence: { actions: decides(fence) },
  },
  states: following(stateOf, STATES),
});

/** Returns the outbox as JSON text. */
export function dispatchEffectsText(outbox: readonly DispatchEffect[]): string {
  return `[${outbox.map(keptText).join(',')}]`;
}

function noncesOf({ next = 0, free, refusals }: Pick<AccountContext, 'next' | 'free' | 'refusals'>): Nonces {
  return { next, free, refusals };
}

type Of<T extends AccountEvent['type']> = Extract<AccountEvent, { type: T }>;

function follow(context: AccountContext, event: Of<'follow'>): Partial<AccountContext> {
  const next = Math.max(context.next ?? 0, event.next);
  const free = context.free.filter((nonce) => nonce >= event.next);
  const same = next === context.next && free.length === context.free.length;
  if (same) return { reply: noncesOf(context) };
  return { next, free, reply: noncesOf({ ...context, next, free }) };
}

function fence({ fences, outbox }: AccountContext, { claims }: Of<'fence'>): Partial<AccountContext> {
  const waiting = outbox.find(
    ({ transaction: { claim } }) => claim !== undefined && claims.includes(claim.id),
  );
  const fresh = claims.filter((claim) => !fences.includes(claim));
  return { fences: [...fences, ...fresh].slice(-REMEMBERED), reply: waiting?.transaction.hash };
}

/** Returns the newest fence of an account. It is read before a claim is made: the fence of a claim can only come later. */
export function newestFence(context: Pick<AccountContext, 'fences'> | undefined): string | undefined {
  return context?.fences.at(-1);
}

/**
 * Returns true if a claim was taken over, or may have been: its fence, if any, is newer than `since`, and the account does
 * not remember all fences that are newer than `since`.
 */
function isFenced({ fences }: AccountContext, claim: string, since: string | undefined): boolean {
  if (fences.includes(claim)) return true;
  return fences.length === REMEMBERED && (since === undefined || !fences.includes(since));
}

function accept(context: AccountContext, { transactions, since }: Of<'signed'>): Partial<AccountContext> {
  if (context.outbox.length + transactions.length > MAX_WAITING) {
    return {
      reply: new Refusal(
        'unavailable',
        'too many transactions of this account wait to be sent; nothing was done',
      ),
    };
  }
  let { next, free } = noncesOf(context);
  let count = 0;
  let fenced = false;
  for (const [at, { nonce, claim, hash }] of transactions.entries()) {
    fenced = claim !== undefined && isFenced(context, claim.id, since?.[at]);
    // A refused transaction stays refused: the same bytes must not use a nonce again.
    if (fenced || context.released.includes(hash)) break;
    if (nonce !== (free[0] ?? next)) break;
    if (free.length > 0) free = free.slice(1);
    else next += 1;
    count += 1;
  }
  const reply: Accepted = { accepted: count, fenced, next, free, refusals: context.refusals };
  if (count === 0) return { reply };
  const entries = transactions.slice(0, count).map((transaction): DispatchEffect => {
    return { id: transaction.hash, type: 'dispatch', transaction };
  });
  return { reply, next, free, outbox: [...context.outbox, ...entries] };
}

function release(context: AccountContext, { nonce, hash }: Of<'release'>): Partial<AccountContext> {
  const { next = 0, free, released, refusals } = context;
  if (released.includes(hash) || nonce >= next || free.includes(nonce)) return {};
  const remembered = [...released, hash].slice(-REMEMBERED);
  let all = [...free, nonce].toSorted((a, b) => a - b);
  let end = next;
  // A free nonce just below `next` becomes `next`.
  while (all.at(-1) === end - 1) {
    all = all.slice(0, -1);
    end -= 1;
  }
  return { next: end, free: all, released: remembered, refusals: refusals + 1 };
}
