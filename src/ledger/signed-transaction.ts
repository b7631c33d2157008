import type { ChainReceipt, Hex } from '../chain/port.js';
import type { OfTenant } from './operation.js';
import type { OperationName } from './shapes.js';

/** A signed transaction with its operation. */
export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: number;
  /** The claim of its Idempotency-Key. */
  readonly claim: { readonly key: string; readonly id: string } | undefined;
  /** ms since the epoch. Absent if an earlier release signed it. */
  readonly signedAt?: number;
  readonly operation: StoredOperation;
}

/** Another signature of the same nonce and content, at a higher price. */
export interface Replacement {
  readonly hash: Hex;
  readonly raw: Hex;
}

/** An operation as its transaction stores it. */
export interface StoredOperation extends OfTenant {
  readonly name: OperationName;
  readonly assetId: Hex;
  readonly hash: Hex;
  readonly link: string | undefined;
  readonly query: Readonly<Record<string, string | number>> | undefined;
  readonly account: Hex;
  readonly listed: ListedUnder;
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

/** A transaction that is in a block. */
export interface MinedTransaction {
  readonly signed: SignedTransaction;
  readonly receipt: ChainReceipt;
}

/** Nonces of an account whose transactions the chain lacks. */
export interface NonceGap {
  /** The account's next nonce on the chain. */
  readonly used: number;
  /** The transactions with nonces below it were signed. */
  readonly below: number;
  /** How many of them are not known to be on their way. */
  readonly missing: number;
}
