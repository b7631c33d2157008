import { type BodyOptions, jsonBody, jsonBytes, type ReadBytes, type ReadJson } from '../../http/body.js';
import { DEEPEST } from '../content/entity.js';

/** How the ledger reads bodies. All throw `Refusal`: `unsupported-media-type` for what is no JSON or JSON-LD. */
export interface LedgerBodies {
  /** A proof to be judged. */
  readonly json: ReadJson;
  /** One entity, which is parsed elsewhere: the bytes, inflated. */
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
    json: jsonBody({ ...taken, limit: bodyLimit, deepest: DEEPEST }),
    entity: jsonBytes({ ...taken, limit: bodyLimit }),
    batch: jsonBytes({ ...taken, limit: batchLimit }),
  };
}
