import type { ActorContext, ActorEvent, ActorKind } from '../../src/actors/kind.js';
import type { ChainReceipt, Hex } from '../../src/chain/port.js';
import { acceptedKind, type AcceptedKindOptions } from '../../src/ledger/accepted/accepted-kind.js';
import { accountKind, type AccountKindOptions } from '../../src/ledger/account/account-kind.js';
import { blockKind, type BlockKindOptions } from '../../src/ledger/blocks/block-kind.js';
import { keyKind } from '../../src/ledger/idempotency/key-kind.js';
import { entityKind } from '../../src/ledger/index/entity-machine.js';
import { pageKind } from '../../src/ledger/index/page-machine.js';
import { entityIndexKind } from '../../src/ledger/index/entity-index.js';
import {
  transactionKind,
  type TransactionKindOptions,
} from '../../src/ledger/transaction/transaction-kind.js';
import { PendingTransaction } from '../../src/ledger/transaction/pending-transaction.js';
import type { Outcome, SignedTransaction, StoredOperation } from '../../src/ledger/signed-transaction.js';
import { driveActor, type DrivenActor } from '../actors/stage/driven-actor.js';

export const NOON = Date.UTC(2026, 0, 15, 12);
export const FINAL_MS = 10_000;
export const KEEP_MS = 3_600_000;
export const KEY_TTL_MS = 7 * 86_400_000;
export const CHAIN = '31337';
export const ACCOUNT: Hex = '0x00000000000000000000000000000000000000a1';

export const LEDGER_SETTINGS = {
  confirmations: 1,
  finality: 12,
  finalMs: FINAL_MS,
  keepMs: KEEP_MS,
  keyTtlMs: KEY_TTL_MS,
  refusedMs: 30_000,
  tryMs: 30_000,
};

export type LedgerKindOptions = AccountKindOptions &
  TransactionKindOptions &
  BlockKindOptions &
  AcceptedKindOptions & { readonly settings: typeof LEDGER_SETTINGS };

/** A kind of the ledger, for a machine that is driven alone, or for effects that need no more than these options. */
export function ledgerKind(name: string, more: Partial<LedgerKindOptions> = {}): ActorKind {
  const none = undefined as never;
  const options: LedgerKindOptions = {
    chain: none,
    batchPages: none,
    pipeline: none,
    submissions: none,
    blockWatch: none,
    recorderOf: none,
    wallet: none,
    permits: none,
    clock: none,
    stopped: none,
    settings: LEDGER_SETTINGS,
    now: () => NOON,
    ...more,
  };
  const kinds = [
    entityKind(options.now),
    entityIndexKind(options.now),
    pageKind,
    keyKind(options.chain, options.settings.keyTtlMs, options.now),
    accountKind(options),
    transactionKind(options),
    blockKind(options),
    acceptedKind(options),
  ];
  return kinds.find((kind) => kind.name === name)!;
}

/** An actor of the ledger, written and restored after each change. */
export function drive<C extends ActorContext, E extends ActorEvent>(kind: string): DrivenActor<C, E> {
  return driveActor<C, E>(ledgerKind(kind), { kind, tenant: 'ledger', name: 'one' });
}

/** 32 bytes that end in a number. */
export function word(n: number): Hex {
  return `0x${n.toString(16).padStart(64, '0')}`;
}

export const OPERATION: StoredOperation = {
  name: 'create',
  assetId: word(1),
  hash: word(2),
  tenant: undefined,
  link: undefined,
  query: undefined,
  account: ACCOUNT,
  listed: { entityId: 'urn:ngsi-ld:Car:1', from: 0 },
};

/** A transaction of the account, signed. */
export function signedTransaction(nonce: number, more: Partial<SignedTransaction> = {}): SignedTransaction {
  return {
    hash: word(1000 + nonce),
    raw: '0xf8',
    nonce,
    claim: undefined,
    signedAt: NOON,
    operation: OPERATION,
    ...more,
  };
}

/** A transaction whose broadcast has this outcome; without one it goes on for ever. */
export function pendingThat(
  signed: SignedTransaction,
  outcome?: Outcome,
  maybeBroadcast = true,
): PendingTransaction {
  return Object.assign(new PendingTransaction(signed, { maybeBroadcast }, NOON, undefined), {
    outcome: outcome === undefined ? new Promise<Outcome>(() => undefined) : Promise.resolve(outcome),
  });
}

/** The parts of a pipeline that list a transaction, without lists. */
export const NO_LISTS = {
  indexer: { index: async () => ({ indexed: Promise.resolve() }) },
  blockWatch: { watch: async () => undefined },
  mirror: async () => undefined,
} as const;

/** A chain whose contract is there. */
export const CONTRACT_THERE = {
  checkContract: async () => undefined,
  contractMissing: () => undefined,
} as const;

/** The receipt of a transaction in a block. */
export function receiptIn(block: number, fork = 'a', status: Hex = '0x1'): ChainReceipt {
  return {
    transactionHash: word(1000),
    transactionIndex: '0x0',
    blockHash: `0x${fork.repeat(64)}`,
    blockNumber: `0x${block.toString(16)}`,
    from: ACCOUNT,
    to: ACCOUNT,
    cumulativeGasUsed: '0x5208',
    gasUsed: '0x5208',
    status,
    logs: [],
    logsBloom: '0x00',
  };
}
