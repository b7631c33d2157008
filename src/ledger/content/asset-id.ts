import { type Hex, hexOf, keccak } from '../../system/chain-bytes.js';

/** The contract's name for an entity: the keccak-256 of its id, unchanged and in UTF-8 (ledger, "What is hashed"). */
export function assetIdOf(entityId: string): Hex {
  return hexOf(keccak(entityId));
}
