import { createCipheriv, createDecipheriv, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import secp256k1 from 'secp256k1';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Private keys of 32 bytes, derived from or sealed with one secret. Throws an `Error` for a secret under 32 bytes.
 */
export function walletKeys(secret: Uint8Array) {
  if (secret.byteLength < 32) throw new Error('The secret of the embedded wallet needs at least 32 bytes.');
  const derive = (...words: readonly string[]): Buffer =>
    createHmac('sha256', secret).update(JSON.stringify(words)).digest();
  const sealing = derive('seal');
  return {
    /** Returns the key of a named account, derived from the secret. */
    derived: (name: string) => derive('account', name),
    /** Encrypts a key with the secret (AES-256-GCM). */
    sealed(key: Buffer): string {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, iv);
      const text = Buffer.concat([cipher.update(key), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
    },
    /** Decrypts a sealed key. Throws an `Error` for any other text, and under another secret. */
    opened(text: string): Buffer {
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    },
  };
}

const HARDENED = 0x80000000;

/**
 * Returns the private key at m/44'/60'/0'/0/`index` of a mnemonic (BIP-39 without a passphrase, BIP-32, BIP-44). Does not
 * check the words or their checksum.
 */
export async function keyOfMnemonic(mnemonic: string, index: number): Promise<Buffer> {
  const words = mnemonic.normalize('NFKD');
  const seed = await promisify(pbkdf2)(words, 'mnemonic', 2_048, 64, 'sha512');
  const master = createHmac('sha512', 'Bitcoin seed').update(seed).digest();
  return [44 + HARDENED, 60 + HARDENED, HARDENED, 0, index].reduce(child, master).subarray(0, 32);
}

/** Returns key and chain code, 32 bytes each, of a child of `parent` (BIP-32). */
function child(parent: Buffer, index: number): Buffer {
  const [key, chainCode] = [Buffer.from(parent.subarray(0, 32)), parent.subarray(32)];
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index);
  const data = index >= HARDENED ? Buffer.concat([Buffer.alloc(1), key]) : secp256k1.publicKeyCreate(key);
  const mixed = createHmac('sha512', chainCode).update(data).update(number).digest();
  return Buffer.concat([secp256k1.privateKeyTweakAdd(key, mixed.subarray(0, 32)), mixed.subarray(32)]);
}
