import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Compares two secrets. The time it takes reveals nothing about either: both are hashed first, which gives them equal
 * lengths.
 */
export function equalSecrets(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

function sha256(secret: string | Uint8Array): Buffer {
  return createHash('sha256').update(secret).digest();
}
