import type { Hex } from '../chain/port.js';
import type { OperationName } from './shapes.js';

/** The tenant of an operation. */
export interface OfTenant {
  /** The tenant whose lists (L6, L7) have it, besides those of everybody: the id in the caller's token, else NGSILD-Tenant. */
  readonly tenant: string | undefined;
  /** The NGSILD-Tenant that was sent, if it is not `tenant`: receipts and the mirror show it. */
  readonly tenantName?: string | undefined;
}

/** A checked and hashed operation that a caller wants to record. */
export interface Operation extends OfTenant {
  readonly name: OperationName;
  /** The arguments of the contract's `timestamp`, 32 bytes each. */
  readonly assetId: Hex;
  readonly hash: Hex;
  /** Ids of the entities that list the transaction, in order. An id that comes twice has two entries. */
  readonly entities: readonly string[];
  /** The proofs of a batch (L5), one entry for each of `entities`. */
  readonly batch: Batch | undefined;
  /** The Link header. */
  readonly link: string | undefined;
  /** The query object of L2 and L4, as hashed. */
  readonly query: Readonly<Record<string, string | number>> | undefined;
  /** The notification of a broker that it came in (`notify`); absent for the other operations. */
  readonly notification?: NotificationId;
}

/** Names a notification of a broker. */
export interface NotificationId {
  readonly id: string;
  readonly subscriptionId: string;
}

/**
 * The entries of a batch as JSON texts: each page is an array of `{entityId, hash, proof}`, every page but the last
 * holds `BATCH_PAGE` of them, in the order of the batch.
 */
export interface Batch {
  readonly pages: readonly string[];
}

/** Entries in a page of a batch. A reader of one entry has to parse a whole page. */
export const BATCH_PAGE = 50;

/** The entry of one entity in a batch. */
export interface BatchEntry {
  readonly entityId: string;
  readonly hash: Hex;
  readonly proof: readonly Hex[];
}
