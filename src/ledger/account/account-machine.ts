import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { SignedOperation } from '../transaction/signed-operation.js';

/** What a wallet's account knows of its nonces. */
export interface AccountContext extends ActorContext {
  /** The nonce of the next transaction, unless one below is free; undefined before the first was signed. */
  readonly next: number | undefined;
  /** Nonces below `next` whose transactions the chain's node refused: to be used first, ascending. */
  readonly free: readonly number[];
  /** Transactions whose nonce was given back: that must happen once. Newest last. */
  readonly released: readonly Hex[];
  /** How many nonces were given back so far. */
  readonly refusals: number;
  /**
   * Claims of Idempotency-Keys that were taken over: nothing is to be signed for them any more. Newest last, the oldest
   * forgotten.
   */
  readonly fences: readonly string[];
  readonly outbox: readonly DispatchEffect[];
}

/** Hand a signed transaction over to its own actor. */
export interface DispatchEffect extends OutboxEntry {
  readonly type: 'dispatch';
  readonly transaction: SignedOperation;
}

/** Which nonces come next. */
export interface Nonces {
  readonly next: number;
  readonly free: readonly number[];
  /**
   * How many nonces were given back so far. What is signed for one of them must differ from what was refused, also when
   * it is the same operation: a transaction is known by its hash, and that one stays refused.
   */
  readonly refusals: number;
}

/** The reply to `signed`: how many of the transactions were taken, from the first one on, and which nonces come next. */
export interface Taken extends Nonces {
  readonly taken: number;
  /** True where the first one that was not taken belongs to a claim that was taken over. */
  readonly fenced: boolean;
}

export type AccountEvent = ActorEvent &
  /** The chain says that nonces below `next` are used; gives `Nonces`. */
  (
    | { readonly type: 'follow'; readonly next: number }
    /** Transactions in the order of their nonces; `since` has of each that has a claim when that was made: `newestFence`. */
    | {
        readonly type: 'signed';
        readonly transactions: readonly SignedOperation[];
        readonly since?: readonly (string | undefined)[];
      }
    | { readonly type: 'dispatched'; readonly entryId: string }
    /** A transaction was refused and will never be sent again. */
    | { readonly type: 'free'; readonly nonce: number; readonly hash: Hex }
    /** Nothing is to be signed for these claims any more; replies with the hash of what was signed for one and waits. */
    | { readonly type: 'fence'; readonly claims: readonly string[] }
    | { readonly type: 'wake' }
  );

/** Most signed transactions that wait to be handed over. */
const MOST_WAITING = 2_000;
/** Remembered of `released` and `fences`. What `released` guards against comes within seconds. */
const REMEMBERED = 256;

/**
 * The machine of a wallet's account: `idle`, `handing` over signed transactions, or `stalled` while a nonce is free
 * that later ones wait for. The commit that takes a transaction is the one that uses up its nonce, so nonces have
 * neither gaps nor repeats, whoever crashes when; and no transaction leaves before the lower ones are in there too.
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
    follow: { actions: decides(followed) },
    signed: { actions: decides(taken) },
    dispatched: { actions: decides(dispatched) },
    free: { actions: decides(givenBack) },
    fence: { actions: decides(fenced) },
  },
  states: {
    idle: {
      always: [
        { guard: ({ context }) => context.free.length > 0, target: 'stalled' },
        { guard: ({ context }) => context.outbox.length > 0, target: 'dispatching' },
      ],
    },
    dispatching: {
      always: {
        guard: ({ context }) => context.outbox.length === 0 || context.free.length > 0,
        target: 'idle',
      },
    },
    stalled: { always: { guard: ({ context }) => context.free.length === 0, target: 'idle' } },
  },
});

const texts = new WeakMap<DispatchEffect, string>();

/** An entry as `JSON.stringify` writes it, made once: the whole outbox is written with every commit. */
export function dispatchEffectText(entry: DispatchEffect): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const text = JSON.stringify(entry);
  texts.set(entry, text);
  return text;
}

/** What waits, as `JSON.stringify` writes it. */
export function dispatchEffectsText(outbox: readonly DispatchEffect[]): string {
  return `[${outbox.map(dispatchEffectText).join(',')}]`;
}

function noncesOf({ next = 0, free, refusals }: Pick<AccountContext, 'next' | 'free' | 'refusals'>): Nonces {
  return { next, free, refusals };
}

type Told<T extends AccountEvent['type']> = Extract<AccountEvent, { type: T }>;

function followed(context: AccountContext, event: Told<'follow'>): Partial<AccountContext> {
  const next = Math.max(context.next ?? 0, event.next);
  const free = context.free.filter((nonce) => nonce >= event.next);
  const same = next === context.next && free.length === context.free.length;
  if (same) return { reply: noncesOf(context) };
  return { next, free, reply: noncesOf({ ...context, next, free }) };
}

function dispatched({ outbox }: AccountContext, { entryId }: Told<'dispatched'>): Partial<AccountContext> {
  return { outbox: outbox.filter((entry) => entry.id !== entryId) };
}

function fenced({ fences, outbox }: AccountContext, { claims }: Told<'fence'>): Partial<AccountContext> {
  const waiting = outbox.find(
    ({ transaction: { claim } }) => claim !== undefined && claims.includes(claim.id),
  );
  const fresh = claims.filter((claim) => !fences.includes(claim));
  return { fences: [...fences, ...fresh].slice(-REMEMBERED), reply: waiting?.transaction.hash };
}

/** The newest fence that an account knows; asked before a claim is made, since a fence can only come after it. */
export function newestFence(context: Pick<AccountContext, 'fences'> | undefined): string | undefined {
  return context?.fences.at(-1);
}

/**
 * True where a claim was taken over, or may have been: its fence is behind the newest one that there was when it was
 * made, and what came behind that one is not all remembered any more.
 */
function isFenced({ fences }: AccountContext, claim: string, since: string | undefined): boolean {
  if (fences.includes(claim)) return true;
  return fences.length === REMEMBERED && (since === undefined || !fences.includes(since));
}

function taken(context: AccountContext, { transactions, since }: Told<'signed'>): Partial<AccountContext> {
  if (context.outbox.length + transactions.length > MOST_WAITING) {
    return {
      reply: new Refusal('unavailable', 'too much of this account waits to be sent; nothing was done'),
    };
  }
  let { next, free } = noncesOf(context);
  let count = 0;
  let fenced = false;
  for (const [at, { nonce, claim, hash }] of transactions.entries()) {
    fenced = claim !== undefined && isFenced(context, claim.id, since?.[at]);
    // What was refused stays refused: the same bytes must not use up a nonce again.
    if (fenced || context.released.includes(hash)) break;
    if (nonce !== (free[0] ?? next)) break;
    if (free.length > 0) free = free.slice(1);
    else next += 1;
    count += 1;
  }
  const reply: Taken = { taken: count, fenced, next, free, refusals: context.refusals };
  if (count === 0) return { reply };
  const entries = transactions.slice(0, count).map((transaction): DispatchEffect => {
    return { id: transaction.hash, type: 'dispatch', transaction };
  });
  return { reply, next, free, outbox: [...context.outbox, ...entries] };
}

function givenBack(context: AccountContext, { nonce, hash }: Told<'free'>): Partial<AccountContext> {
  const { next = 0, free, released, refusals } = context;
  if (released.includes(hash) || nonce >= next || free.includes(nonce)) return {};
  const remembered = [...released, hash].slice(-REMEMBERED);
  let all = [...free, nonce].toSorted((a, b) => a - b);
  let end = next;
  // What is free at the end is simply next.
  while (all.at(-1) === end - 1) {
    all = all.slice(0, -1);
    end -= 1;
  }
  return { next: end, free: all, released: remembered, refusals: refusals + 1 };
}
