import { type BodyOptions, jsonBytes, type ReadBytes } from '../../http/body/body.js';

/** How the ledger reads bodies. All throw `Refusal`: `unsupported-media-type` for what is no JSON or JSON-LD. */
export interface LedgerBodies {
  /** One entity, or a claim about one, which is parsed elsewhere: the bytes, inflated. */
  readonly entity: ReadBytes;
  /** A batch, likewise. */
  readonly batch: ReadBytes;
}

/** `bodyLimit` (BODY_LIMIT) and `batchLimit` (BATCH_LIMIT) are bytes after inflating. */
export function ledgerBodies(limits: {
  readonly bodyLimit: number;
  readonly batchLimit: number;
}): LedgerBodies {
  const taken: Omit<BodyOptions, 'limit'> = {
    types: ['application/json', 'application/ld+json'],
    wrongType: 'unsupported-media-type',
  };
  const { bodyLimit, batchLimit } = limits;
  return {
    entity: jsonBytes({ ...taken, limit: bodyLimit }),
    batch: jsonBytes({ ...taken, limit: batchLimit }),
  };
}
