import { contextIn } from '../../actors/behavior.js';
import type { ActorKind, EffectRun } from '../../actors/kind.js';
import { actorId, type Store } from '../../store/port.js';
import type { TransactionId } from '../signed-transaction.js';
import type { Chain, ChainReceipt, Hex } from '../../chain/port.js';
import type { AccountEvent } from '../account/account-machine.js';
import { accountAddress, keyAddress, TRANSACTION, transactionAddress } from '../addresses.js';
import type { BlockWatch } from '../blocks/block-kind.js';
import { isOn } from '../../chain/late-chain.js';
import type { KeyEvent } from '../idempotency/key-machine.js';
import type { Submissions } from './submissions.js';
import type { Pipeline } from './pipeline.js';
import {
  type TransactionContext,
  type TransactionEffect,
  type TransactionEvent,
  transactionMachine,
  type TransactionSettings,
} from './transaction-machine.js';

export interface TransactionKindOptions {
  readonly chain: Pick<Chain, 'name' | 'receipt'>;
  readonly pipeline: Pick<Pipeline, 'carryOn'>;
  readonly submissions: Pick<Submissions, 'answer'>;
  readonly blockWatch: Pick<BlockWatch, 'watch'>;
  readonly settings: TransactionSettings;
  readonly now: () => number;
}

/** Reads a transaction from the store; undefined if it has no actor. `chain` is a chain's name. */
export async function loadTransaction(
  store: Store,
  { chain, hash }: TransactionId,
): Promise<TransactionContext | undefined> {
  const stored = await store.load(actorId(transactionAddress(chain, hash)));
  return stored && (contextIn(stored) as TransactionContext);
}

/** As `loadTransaction`, by the hash of any of its signatures: a replacement's actor names the transaction. */
export async function loadBySignature(
  store: Store,
  { chain, hash }: TransactionId,
): Promise<TransactionContext | undefined> {
  const found = await loadTransaction(store, { chain, hash });
  return found?.replaces === undefined ? found : loadTransaction(store, { chain, hash: found.replaces });
}

/** Returns the kind of transactions. */
export function transactionKind(options: TransactionKindOptions): ActorKind {
  const { chain, pipeline, submissions, blockWatch, settings, now } = options;

  /** Returns the receipt of the signature that is in a block. */
  const receiptOf = async (hashes: readonly Hex[]): Promise<ChainReceipt | undefined> => {
    const receipts = await Promise.all(hashes.map((hash) => chain.receipt(hash)));
    return receipts.find((receipt) => receipt !== undefined);
  };

  return {
    name: TRANSACTION,
    version: 1,
    machine: transactionMachine(settings),
    evictAfter: ['recorded', 'refused'],
    unindexedState: 'recorded',
    deletedState: 'gone',
    effects: {
      send: (_entry: TransactionEffect, context: TransactionContext, { address, actors }: EffectRun) =>
        pipeline.carryOn(actors, address, context),

      async check(
        { id: entryId }: TransactionEffect,
        { signed, receipt: known, replacements }: TransactionContext,
        { address, actors }: EffectRun,
      ): Promise<TransactionEvent> {
        const { hash } = signed!;
        // The node is on another chain: the block is looked up again later.
        const receipt = isOn(chain, address.tenant)
          ? await receiptOf([hash, ...replacements.map((one) => one.hash)])
          : known;
        if (receipt !== undefined) await blockWatch.watch(actors, address.tenant, receipt, hash);
        return { type: 'checked', now: now(), entryId, receipt };
      },

      async release(
        _entry: TransactionEffect,
        { signed, refusal }: TransactionContext,
        { address: { tenant }, actors }: EffectRun,
      ): Promise<TransactionEvent> {
        const { hash, nonce, claim, operation } = signed!;
        const { reason } = refusal!;
        if (reason !== 'nonce-used') {
          const release: AccountEvent = { type: 'release', now: now(), nonce, hash };
          await actors.ask(accountAddress(tenant, operation.account), release);
        }
        if (claim !== undefined) {
          const failed: KeyEvent = { type: 'failed', now: now(), hash };
          await actors.ask(keyAddress(operation.account, claim.key), failed);
        }
        submissions.answer(hash, { is: 'refused', ...refusal! });
        return { type: 'released', now: now() };
      },
    },
  };
}
