import type { ActorKind, EffectRun } from '../actors/kind.js';
import type { Actors } from '../actors/runtime.js';
import type { Chain, Hex } from '../chain/port.js';
import type { Address } from '../store/port.js';
import { keyAddress, TRANSACTION, ACCOUNT, accountAddress } from './addresses.js';
import type { BatchPages } from './index/batch-pages.js';
import { blockKind } from './blocks/block-kind.js';
import type { BlockSettings } from './blocks/block-machine.js';
import { entityKind } from './index/entity-machine.js';
import type { Indexer } from './index/indexer.js';
import { dispatch } from './account/dispatch.js';
import { isOn } from './blocks/is-on.js';
import { keyKind } from './idempotency/key-kind.js';
import type { KeyEvent } from './idempotency/key-machine.js';
import { pageKind } from './index/page-machine.js';
import { registerKind } from './index/register-machine.js';
import { createRecorder } from './transaction/recorder.js';
import type { Recorder } from './transaction/recorder.js';
import { createSending } from './transaction/broadcast.js';
import type { Send } from './transaction/broadcast.js';
import type { ReceiptWaiters } from './transaction/receipt-waiters.js';
import { transactionMachine } from './transaction/transaction-machine.js';
import type {
  RecordedTransaction,
  TransactionContext,
  TransactionEffect,
  TransactionEvent,
  TransactionSettings,
} from './transaction/transaction-machine.js';
import { createInFlight } from './transaction/in-flight.js';
import type { InFlight } from './transaction/in-flight.js';
import { dispatchEffectsText, accountMachine } from './account/account-machine.js';
import type { AccountEvent } from './account/account-machine.js';
import type { BlockWatch } from './blocks/block-watch.js';

export interface LedgerKindOptions {
  /** The runtime, which is started with these kinds and therefore comes later. */
  readonly actors: () => Actors;
  readonly chain: Chain;
  readonly batchPages: BatchPages;
  readonly indexer: Indexer;
  readonly receiptWaiters: ReceiptWaiters;
  readonly blockWatch: Pick<BlockWatch, 'watch' | 'reorganisations'>;
  /** Has the receipt of a transaction mirrored to a broker; resolves when that is certain to happen. */
  readonly mirror: (transaction: RecordedTransaction) => Promise<void>;
  readonly settings: LedgerSettings;
  readonly now: () => number;
  /** Told of a transaction that cannot be given up and that the node does not take now. */
  readonly onHeld: (hash: string, detail: string) => void;
  /** See `SendingOptions`. */
  readonly onBehind: (account: Hex, used: number, missing: number) => void;
  /** Aborted when the service stops: what is under way goes on at the next start. */
  readonly stopped: AbortSignal;
}

export interface LedgerSettings extends TransactionSettings, BlockSettings {
  /** Blocks that a transaction must lie under, its own counted, before it is answered. */
  readonly confirmations: number;
  /** Blocks under which no reorganisation is expected to move it any more. */
  readonly finality: number;
  /** How long an Idempotency-Key is kept, ms. */
  readonly keyTtlMs: number;
}

/** What the effects have in common. */
interface Parts {
  readonly inFlight: InFlight;
  readonly recorder: Recorder;
  readonly send: Send;
}

/** The kinds of actors behind the ledger API. */
export function ledgerKinds(options: LedgerKindOptions): ActorKind[] {
  const { settings } = options;
  const { chain, now, onHeld, onBehind, stopped } = options;
  const { confirmations } = settings;
  const send = createSending({ chain, confirmations, onHeld, onBehind, stopped });
  const inFlight = createInFlight((signed, isWanted) => send(signed, { accepted: false, isWanted }));
  const parts = { send, inFlight, recorder: createRecorder(options) };
  return [
    entityKind(options),
    registerKind(options),
    {
      name: ACCOUNT,
      version: 1,
      machine: accountMachine,
      rarelyWritten: [],
      writers: { outbox: dispatchEffectsText },
      // Nothing can be sent before its account has it.
      urgent: true,
      effects: { dispatch: dispatch({ ...options, ...parts }) },
    },
    {
      name: TRANSACTION,
      version: 1,
      machine: transactionMachine(settings),
      // Most are written once: a part of its own for some fields would save nothing.
      rarelyWritten: [],
      effects: transactionEffects(options, parts),
      evictAfter: ['recorded', 'refused'],
      unindexedState: 'recorded',
      deletedState: 'gone',
    },
    keyKind({ chain, ttlMs: settings.keyTtlMs, now }),
    pageKind,
    blockKind(options),
  ];
}

function transactionEffects(options: LedgerKindOptions, { send, inFlight, recorder }: Parts) {
  const { chain, receiptWaiters, blockWatch, now } = options;
  return {
    async send(
      _entry: TransactionEffect,
      { signed }: TransactionContext,
      { address, actors }: EffectRun,
    ): Promise<TransactionEvent> {
      requireChain(chain, address);
      // An earlier run may have sent it: any node may have it, and no refusal takes it back.
      const sending = inFlight.take(signed!.hash) ?? send(signed!, { accepted: true, isWanted: () => true });
      const sent = await sending;
      if (sent.is === 'refused') {
        return { type: 'refused', now: now(), reason: sent.reason, detail: sent.detail };
      }
      const transaction = { signed: signed!, receipt: sent.receipt };
      // Listed first: a transaction without receipt is not shown, but one with a receipt must be found.
      const { registered } = await recorder.list(actors, address.tenant, transaction);
      await registered;
      const event: TransactionEvent = { type: 'mined', now: now(), receipt: sent.receipt };
      await actors.ask(address, event);
      recorder.recorded(transaction);
      return { type: 'settled', now: now() };
    },

    async check(
      { id: entryId }: TransactionEffect,
      { signed, receipt: known }: TransactionContext,
      { address }: EffectRun,
    ): Promise<TransactionEvent> {
      // Of another chain nothing can be said: it is asked again later.
      const receipt = isOn(chain, address.tenant) ? await chain.receipt(signed!.hash) : known;
      if (receipt !== undefined) await blockWatch.watch(address.tenant, receipt);
      return { type: 'checked', now: now(), entryId, receipt };
    },

    async release(
      _entry: TransactionEffect,
      { signed, refusal }: TransactionContext,
      { address: { tenant }, actors }: EffectRun,
    ): Promise<TransactionEvent> {
      const { hash, nonce, claim, operation } = signed!;
      const { reason, detail } = refusal!;
      if (reason !== 'nonce-used') {
        const free: AccountEvent = { type: 'free', now: now(), nonce, hash };
        await actors.ask(accountAddress(tenant, operation.account), free);
      }
      if (claim !== undefined) {
        const failed: KeyEvent = { type: 'failed', now: now(), hash };
        await actors.ask(keyAddress(operation.account, claim.key), failed);
      }
      receiptWaiters.settle(hash, { is: 'refused', reason, detail });
      return { type: 'released', now: now() };
    },
  };
}

function requireChain(chain: Chain, address: Address): void {
  if (address.tenant === chain.name) return;
  throw new Error(`CHAIN_RPC_URL leads to chain ${chain.name}; a transaction waits for ${address.tenant}`);
}
