import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** The keccak-256 of bytes, or of a text's UTF-8: 32 bytes. */
export function keccak(content: Uint8Array | string): Uint8Array {
  return hasher.init().update(content).digest('binary');
}
