import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';

/** JSON Web Encryption (RFC 7516) with the key itself and AES-256-GCM. */
const ALG = 'dir';
const ENC = 'A256GCM';
/** Beginning of every sealed value: the header, and no key. */
const BEGIN = `${Buffer.from(JSON.stringify({ alg: ALG, enc: ENC })).toString('base64url')}..`;
/** No sealed value is shorter. It limits how many a request can make the service try to open. */
const SHORTEST = 150;

/** Returns true for a text of the form of a sealed value. */
export function isSealed(text: string): boolean {
  return text.length >= SHORTEST && text.startsWith(BEGIN);
}

/** Encrypts and authenticates members that are valid until `exp`, s since the epoch. `secret` has 32 bytes. */
export function seal(members: JWTPayload, exp: number, secret: Uint8Array): Promise<string> {
  return new EncryptJWT(members)
    .setProtectedHeader({ alg: ALG, enc: ENC })
    .setExpirationTime(exp)
    .encrypt(secret);
}

/**
 * Returns the members of a sealed value. undefined if it is changed, expired, of another secret, or without one of the
 * members `required`. `now` is in ms since the epoch.
 */
export async function unseal(
  sealed: string,
  secret: Uint8Array,
  now: number,
  required: readonly string[],
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtDecrypt(sealed, secret, {
      keyManagementAlgorithms: [ALG],
      contentEncryptionAlgorithms: [ENC],
      requiredClaims: ['exp', ...required],
      currentDate: new Date(now),
    });
    return payload;
  } catch {
    return undefined;
  }
}
