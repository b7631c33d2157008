import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { ChainReceipt, Hex } from '../../chain/port.js';
import type { SigningResult } from '../../wallets/port.js';
import type { ChainRefusal, SignedTransaction } from '../signed-transaction.js';

/** The context of a transaction. */
export interface TransactionContext extends ActorContext {
  readonly signed: SignedTransaction | undefined;
  /** Signatures of the same nonce and content at higher prices, oldest first. */
  readonly replacements: readonly SigningResult[];
  /** Hash of the transaction that this one replaces. The other fields of such an actor are empty. */
  readonly replaces: Hex | undefined;
  /** True if any node may have the transaction: its nonce is never released then. */
  readonly maybeBroadcast: boolean;
  /** The chain's receipt of the signature that is mined; undefined while the transaction is in no block. */
  readonly receipt: ChainReceipt | undefined;
  /** When the receipt came, ms since the epoch. */
  readonly recordedAt: number;
  /** How often the block of the receipt was looked up again. */
  readonly checks: number;
  /** True if blocks left the chain while the transaction awaited its receipt: the receipt may name one of them. */
  readonly receiptInDoubt: boolean;
  readonly refusal: ChainRefusal | undefined;
  readonly outbox: readonly TransactionEffect[];
}

/**
 * `send` it until it is mined and listed; `check` that its block is still the chain's; `release` its key, and its nonce if
 * that is unused.
 */
export interface TransactionEffect extends OutboxEntry {
  readonly type: 'send' | 'check' | 'release';
}

export type TransactionEvent = ActorEvent &
  (
    | { readonly type: 'submit'; readonly signed: SignedTransaction; readonly maybeBroadcast?: boolean }
    /** A run that cannot know what earlier runs sent is about to send. Replies true if the transaction is open still. */
    | { readonly type: 'maybeBroadcast' }
    /** The transaction has enough confirmations. */
    | { readonly type: 'mined'; readonly receipt: ChainReceipt }
    /** `known`: how many replacements the run knew; absent: 0. */
    | ({ readonly type: 'refused'; readonly known?: number } & ChainRefusal)
    /** Adds a replacement after the `known` earlier ones. Replies true if it was added. */
    | { readonly type: 'replace'; readonly known: number; readonly replacement: SigningResult }
    /** Makes this actor stand for a replacement of the transaction `of`. */
    | { readonly type: 'alias'; readonly of: Hex }
    /** The key is released, and the nonce unless another transaction has used it. */
    | { readonly type: 'released' }
    /** Blocks may have left the chain. */
    | { readonly type: 'recheck' }
    /** The receipt, which is watched already; undefined if the transaction is in no block. Of another chain: as it was. */
    | {
        readonly type: 'checked';
        readonly entryId: string;
        readonly receipt: ChainReceipt | undefined;
      }
    | { readonly type: 'wake' }
  );

export interface TransactionSettings {
  /** How long a refused transaction is kept, ms. */
  readonly keepMs: number;
}

type EventOf<T extends TransactionEvent['type']> = Extract<TransactionEvent, { type: T }>;
type Change = Partial<TransactionContext>;

/** The outbox and the wake-up of a transaction without open work. */
const SETTLED = { outbox: [], wakeAt: undefined } as const;

/**
 * The machine of a transaction. `new`: its account alone remembers it. `sending`: it is in no block, or not listed yet.
 * `recorded`: it has a receipt and its entities list it; its block is watched, and the block's actor sends `recheck` if
 * the block leaves the chain. `refused`: the chain will never have it. `replacement`: stands for a signature of another
 * transaction.
 */
export function transactionMachine({ keepMs }: TransactionSettings) {
  const mined = (context: TransactionContext, { now, receipt }: EventOf<'mined'>): Change => ({
    receipt,
    recordedAt: now,
    receiptInDoubt: false,
    refusal: undefined,
    maybeBroadcast: true,
    ...(context.receiptInDoubt ? checking(context) : SETTLED),
  });
  const released = ({ checks }: TransactionContext, { now }: EventOf<'released'>): Change => ({
    outbox: [],
    wakeAt: checks === 0 ? now + keepMs : undefined,
  });
  return setup({
    types: { context: {} as TransactionContext, events: {} as TransactionEvent },
  }).createMachine({
    id: 'transaction',
    context: {
      signed: undefined,
      replacements: [],
      replaces: undefined,
      maybeBroadcast: false,
      receipt: undefined,
      recordedAt: 0,
      checks: 0,
      receiptInDoubt: false,
      refusal: undefined,
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'new',
    states: {
      new: {
        on: {
          submit: { target: 'sending', actions: decides(submitted) },
          alias: { target: 'replacement', actions: decides((_context, { of }) => ({ replaces: of })) },
        },
      },
      sending: {
        on: {
          // A second run may have missed that blocks left the chain, or may have sent the transaction.
          submit: { actions: decides(submittedAgain) },
          maybeBroadcast: { actions: decides((): Change => ({ maybeBroadcast: true, reply: true })) },
          recheck: { actions: decides(doubted) },
          mined: { target: 'recorded', actions: decides(mined) },
          replace: { actions: decides(replaced) },
          refused: {
            guard: ({ context, event }) => isFinal(context, event),
            target: 'refused',
            actions: decides(refused),
          },
        },
      },
      recorded: {
        on: {
          submit: { actions: decides(checking) },
          recheck: { actions: decides(checking) },
          checked: [
            {
              // The answer is older than the last reorganisation.
              guard: ({ context, event }) => context.outbox[0]?.id !== event.entryId,
            },
            {
              guard: ({ event }) => event.receipt === undefined,
              target: 'sending',
              actions: decides(lostBlock),
            },
            { actions: decides((_context, { receipt }) => ({ receipt, ...SETTLED })) },
          ],
        },
      },
      refused: {
        on: {
          recheck: { actions: decides(doubted) },
          // Another node of the chain has it in a block.
          mined: { target: 'recorded', actions: decides(mined) },
          released: { actions: decides(released) },
          wake: {
            // A transaction that was recorded once, and lost its nonce to another one, is kept for operators.
            guard: ({ context, event }) =>
              context.outbox.length === 0 &&
              context.checks === 0 &&
              (context.wakeAt ?? Infinity) <= event.now,
            target: 'gone',
          },
        },
      },
      replacement: {},
      gone: {},
    },
  });
}

/**
 * Returns true if a refusal ends the transaction: no node can have it, or a block has another transaction with its
 * nonce. A run that does not know the newest replacement cannot say the latter.
 */
function isFinal(context: TransactionContext, event: EventOf<'refused'>): boolean {
  if (context.replacements.length > (event.known ?? 0)) return false;
  return event.reason === 'nonce-used' || !context.maybeBroadcast;
}

function only(type: TransactionEffect['type'], count = 0): readonly TransactionEffect[] {
  return [{ id: `${type}:${count}`, type }];
}

function submitted(
  _context: TransactionContext,
  { signed, maybeBroadcast = false }: EventOf<'submit'>,
): Change {
  return { signed, maybeBroadcast, outbox: only('send') };
}

function submittedAgain({ maybeBroadcast }: TransactionContext, event: EventOf<'submit'>): Change {
  return { receiptInDoubt: true, maybeBroadcast: maybeBroadcast || event.maybeBroadcast === true };
}

function replaced({ replacements }: TransactionContext, { known, replacement }: EventOf<'replace'>): Change {
  if (replacements.length !== known) return { reply: false };
  return { replacements: [...replacements, replacement], maybeBroadcast: true, reply: true };
}

function doubted(): Change {
  return { receiptInDoubt: true };
}

function refused(_context: TransactionContext, { reason, detail }: EventOf<'refused'>): Change {
  return { refusal: { reason, detail }, outbox: only('release') };
}

/** Each check has an entry of its own: the answer to an earlier check does not count for a later one. */
function checking({ checks }: TransactionContext): Change {
  return { checks: checks + 1, outbox: only('check', checks + 1), wakeAt: undefined };
}

function lostBlock({ checks }: TransactionContext): Change {
  // Another node of the service may still report the block that left the chain.
  return {
    receipt: undefined,
    receiptInDoubt: true,
    maybeBroadcast: true,
    outbox: only('send', checks),
    wakeAt: undefined,
  };
}
