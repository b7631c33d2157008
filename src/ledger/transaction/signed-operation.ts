import type { Hex } from '../../chain/port.js';
import type { OfTenant, OperationName } from '../operation.js';

/** A transaction that is signed, with all that must be known of it. */
export interface SignedOperation {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: number;
  /** The claim of its Idempotency-Key. */
  readonly claim: { readonly key: string; readonly id: string } | undefined;
  readonly operation: RecordedOperation;
}

/** Another signature of the same nonce and content, at a higher price. */
export interface Replacement {
  readonly hash: Hex;
  readonly raw: Hex;
}

/** An operation as it is kept with its transaction. */
export interface RecordedOperation extends OfTenant {
  readonly name: OperationName;
  readonly assetId: Hex;
  readonly hash: Hex;
  readonly link: string | undefined;
  readonly query: Readonly<Record<string, string | number>> | undefined;
  readonly account: Hex;
  readonly listed: ListedUnder;
}

/** Whom a transaction is listed under: one entity, or those in the pages of a batch. */
export type ListedUnder =
  /** `from`: how many transactions the entity had before this one was signed. */
  | { readonly entityId: string; readonly from: number }
  /** `batch` names the list of the pages; `paged` what `BatchPages.paged` tells, where there is any. */
  | {
      readonly batch: string;
      readonly pages: number;
      readonly count: number;
      readonly paged?: string | undefined;
    };
