import type { Hex } from '../chain/port.js';

export type OperationName = 'create' | 'update' | 'query' | 'retrieve' | 'upsert' | 'replace';

/** Whose something is. */
export interface OfTenant {
  /** Whose lists (L6, L7) it is in, beside everybody's: the id in the caller's token, else the NGSILD-Tenant. */
  readonly tenant: string | undefined;
  /** How receipts and the mirror call the tenant where that is not `tenant`: the NGSILD-Tenant that was sent. */
  readonly tenantName?: string | undefined;
}

/** An operation that a caller wants recorded, checked and hashed. */
export interface Operation extends OfTenant {
  readonly name: OperationName;
  /** The arguments of the contract's `timestamp`, 32 bytes each. */
  readonly assetId: Hex;
  readonly hash: Hex;
  /** Whom the transaction is listed under, in order; an id that comes twice is two entries. */
  readonly entities: readonly string[];
  /** The proofs of a batch (L5), one entry for each of `entities`. */
  readonly batch: Batch | undefined;
  /** The Link header. */
  readonly link: string | undefined;
  /** The query object of L2 and L4, as hashed. */
  readonly query: Readonly<Record<string, string | number>> | undefined;
}

/**
 * The entries of a batch as JSON texts: each page is an array of `{entityId, hash, proof}`, every page but the last
 * holds `BATCH_PAGE` of them, in the order of the batch.
 */
export interface Batch {
  readonly pages: readonly string[];
}

/** Entries in a page of a batch: what a reader of one entry has to parse. */
export const BATCH_PAGE = 50;

/** The entry of one entity in a batch. */
export interface BatchEntry {
  readonly entityId: string;
  readonly hash: Hex;
  readonly proof: readonly Hex[];
}
