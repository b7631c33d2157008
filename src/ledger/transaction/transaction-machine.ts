import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { ChainReceipt } from '../../chain/port.js';
import type { SignedOperation } from './signed-operation.js';

/** What a transaction knows of itself. */
export interface TransactionContext extends ActorContext {
  readonly signed: SignedOperation | undefined;
  /** As the chain has it; undefined while it is in no block. */
  readonly receipt: ChainReceipt | undefined;
  /** When its receipt came, ms since the epoch. */
  readonly recordedAt: number;
  /** How often it was looked up whether its block is still the chain's. */
  readonly checks: number;
  /** True where blocks went while it was on its way: the receipt may be of one of them. */
  readonly doubtful: boolean;
  /** Why the chain will never have it. */
  readonly refusal: { readonly reason: RefusalReason; readonly detail: string } | undefined;
  readonly outbox: readonly TransactionEffect[];
}

/** A transaction that is in a block. */
export interface RecordedTransaction {
  readonly signed: SignedOperation;
  readonly receipt: ChainReceipt;
}

export type RefusalReason = 'funds' | 'refused' | 'nonce-used';

/** `send` until it is mined and listed, `check` that its block stays, `release` its nonce and its key. */
export interface TransactionEffect extends OutboxEntry {
  readonly type: 'send' | 'check' | 'release';
}

export type TransactionEvent = ActorEvent &
  (
    | { readonly type: 'begin'; readonly signed: SignedOperation }
    /** It is in a block under enough others, and every entity lists it. */
    | { readonly type: 'mined'; readonly receipt: ChainReceipt }
    | { readonly type: 'refused'; readonly reason: RefusalReason; readonly detail: string }
    /** Whoever waited for it has been told. */
    | { readonly type: 'settled' }
    /** The refusal is known wherever it matters. */
    | { readonly type: 'released' }
    /** Blocks may have gone. */
    | { readonly type: 'recheck' }
    /** What the chain says now: `receipt` undefined where it is in no block; the block of one is watched. */
    | {
        readonly type: 'checked';
        readonly entryId: string;
        readonly receipt: ChainReceipt | undefined;
      }
    | { readonly type: 'wake' }
  );

export interface TransactionSettings {
  /** How long a refused one stays to be looked at, ms. */
  readonly keepMs: number;
}

type Told<T extends TransactionEvent['type']> = Extract<TransactionEvent, { type: T }>;
type Change = Partial<TransactionContext>;

/** Nothing is to be done about it. */
const SETTLED = { outbox: [], wakeAt: undefined } as const;

/**
 * The machine of a transaction: `new` until it is handed over by its wallet, `sending` until it is in a block and its
 * entities list it, and `recorded` then. One that the chain will never take is `refused`. Whoever has it recorded has its
 * block watched before, and whoever watches that tells it to `recheck` where the block has gone.
 */
export function transactionMachine({ keepMs }: TransactionSettings) {
  const mined = (context: TransactionContext, { now, receipt }: Told<'mined'>): Change => ({
    receipt,
    recordedAt: now,
    doubtful: false,
    refusal: undefined,
    ...(context.doubtful ? checking(context) : SETTLED),
  });
  const released = ({ checks }: TransactionContext, { now }: Told<'released'>): Change => ({
    outbox: [],
    wakeAt: checks === 0 ? now + keepMs : undefined,
  });
  return setup({
    types: { context: {} as TransactionContext, events: {} as TransactionEvent },
  }).createMachine({
    id: 'transaction',
    context: {
      signed: undefined,
      receipt: undefined,
      recordedAt: 0,
      checks: 0,
      doubtful: false,
      refusal: undefined,
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'new',
    states: {
      new: { on: { begin: { target: 'sending', actions: decides(begun) } } },
      sending: {
        on: {
          // It is handed over again: whoever did it before may have missed that blocks went.
          begin: { actions: decides(doubted) },
          recheck: { actions: decides(doubted) },
          mined: { target: 'recorded', actions: decides(mined) },
          refused: { target: 'refused', actions: decides(refused) },
        },
      },
      recorded: {
        on: {
          begin: { actions: decides(checking) },
          recheck: { actions: decides(checking) },
          checked: [
            {
              // An answer from before the last reorganisation.
              guard: ({ context, event }) => context.outbox[0]?.id !== event.entryId,
            },
            {
              guard: ({ event }) => event.receipt === undefined,
              target: 'sending',
              actions: decides(gone),
            },
            { actions: decides(stillThere) },
          ],
        },
      },
      refused: {
        on: {
          recheck: { actions: decides(doubted) },
          // Another node has it in a block after all.
          mined: { target: 'recorded', actions: decides(mined) },
          released: { actions: decides(released) },
          wake: {
            // What was recorded once, and lost its nonce to another, stays to be looked into.
            guard: ({ context, event }) =>
              context.outbox.length === 0 &&
              context.checks === 0 &&
              (context.wakeAt ?? Infinity) <= event.now,
            target: 'gone',
          },
        },
      },
      gone: {},
    },
  });
}

function only(type: TransactionEffect['type'], count = 0): readonly TransactionEffect[] {
  return [{ id: `${type}:${count}`, type }];
}

function begun(_context: TransactionContext, { signed }: Told<'begin'>): Change {
  return { signed, outbox: only('send') };
}

function doubted(): Change {
  return { doubtful: true };
}

function refused(_context: TransactionContext, { reason, detail }: Told<'refused'>): Change {
  return { refusal: { reason, detail }, outbox: only('release') };
}

/** With an entry of its own each time: an answer on its way is not that to a later question. */
function checking({ checks }: TransactionContext): Change {
  return { checks: checks + 1, outbox: only('check', checks + 1), wakeAt: undefined };
}

function gone({ checks }: TransactionContext): Change {
  // Another node may be about to say that it is in the block that went.
  return { receipt: undefined, doubtful: true, outbox: only('send', checks), wakeAt: undefined };
}

function stillThere(_context: TransactionContext, { receipt }: Told<'checked'>): Change {
  return { receipt, ...SETTLED };
}
