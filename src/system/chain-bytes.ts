import { createKeccak } from 'hash-wasm';

/** Hexadecimal digits after `0x`, in lower case unless stated otherwise. */
export type Hex = `0x${string}`;

/** Returns bytes as chains write them. */
export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

const hasher = await createKeccak(256);

/** Returns the keccak-256 hash, 32 bytes, of bytes or of the UTF-8 encoding of a text. */
export function keccak(content: Uint8Array | string): Uint8Array {
  return hasher.init().update(content).digest('binary');
}

/** Returns an address in the upper and lower case that is its checksum (EIP-55). */
export function checksumAddress(address: Hex): Hex {
  const digits = address.slice(2).toLowerCase();
  const hash = Buffer.from(keccak(digits)).toString('hex');
  const cased = digits.replace(/[a-f]/g, (digit, index: number) =>
    hash[index]! < '8' ? digit : digit.toUpperCase(),
  );
  return `0x${cased}`;
}
