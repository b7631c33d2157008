/** Hexadecimal digits behind `0x`, in lower case unless it is said. */
export type Hex = `0x${string}`;

/** Bytes as chains write them. */
export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
