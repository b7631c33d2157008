import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Hex } from '../../chain/port.js';

/** The keccak-256 of bytes, or of a text's UTF-8. */
export function keccak(content: Uint8Array | string): Uint8Array {
  return keccak_256(typeof content === 'string' ? Buffer.from(content) : content);
}

/** Bytes as the chain writes them. */
export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** The contract's name for an entity: the keccak-256 of its id, unchanged and in UTF-8 (ledger, "What is hashed"). */
export function assetIdOf(entityId: string): Hex {
  return hexOf(keccak(entityId));
}
