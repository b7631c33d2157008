import type { ChainReceipt, Hex } from '../chain/port.js';
import type { Operation } from './operation.js';

/** A signed transaction with its operation. */
export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: number;
  /** The claim of its Idempotency-Key. */
  readonly claim: { readonly key: string; readonly id: string } | undefined;
  /** ms since the epoch. */
  readonly signedAt: number;
  readonly operation: StoredOperation;
}

/** An operation as its transaction stores it. */
export interface StoredOperation extends Omit<Operation, 'entities' | 'batch'> {
  readonly account: Hex;
  readonly listed: ListedUnder;
  /** The span of the request as `traceparent`; undefined unless it is traced. */
  readonly trace?: string | undefined;
}

/** The entities that list a transaction: one, or those in the pages of a batch. */
export type ListedUnder =
  /** `from`: the number of transactions of the entity before this one was signed. */
  | { readonly entityId: string; readonly from: number }
  /** `batch`: the name of the list of pages. `paged`: the result of `BatchPages.paged`, if any. */
  | {
      readonly batch: string;
      readonly pages: number;
      readonly count: number;
      readonly paged?: string | undefined;
    };

/** Names a transaction. */
export interface TransactionId {
  /** A chain's name. */
  readonly chain: string;
  /** Of the first signature. */
  readonly hash: Hex;
}

/** A signed transaction that is in a block, with the receipt of the signature that is mined. */
export interface MinedTransaction {
  readonly signed: SignedTransaction;
  readonly receipt: ChainReceipt;
}

/** How a pending transaction ends. */
export type Outcome =
  | { readonly is: 'mined'; readonly transaction: MinedTransaction }
  | ({ readonly is: 'refused' } & ChainRefusal);

/** Why a transaction can never be in a block. */
export interface ChainRefusal {
  readonly reason: 'funds' | 'refused' | 'nonce-used';
  readonly detail: string;
}

/** Nonces of an account whose transactions the chain lacks. */
export interface NonceGap {
  /** The account's next nonce on the chain. */
  readonly used: number;
  /** The nonces below it have signed transactions. */
  readonly below: number;
  /** How many of them are not known to be sent. */
  readonly missing: number;
}
