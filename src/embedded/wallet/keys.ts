import { createCipheriv, createDecipheriv, createECDH, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** Private keys of 32 bytes, made of one secret and of nothing that has to be kept. */
export interface WalletKeys {
  /** The key of an account of this name; the same whenever the secret is. */
  derived(name: string): Buffer;
  /** A key in a form that can be kept: whoever lacks the secret learns nothing from it. */
  sealed(key: Buffer): string;
  /** The key in what `sealed` gave. Throws an `Error` for any other text, and under another secret. */
  opened(text: string): Buffer;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Derives and seals with `secret`, of at least 32 bytes; throws an `Error` for a shorter one. */
export function walletKeys(secret: Uint8Array): WalletKeys {
  if (secret.byteLength < 32) throw new Error('The secret of the embedded wallet needs at least 32 bytes.');
  const of = (...words: readonly string[]): Buffer =>
    createHmac('sha256', secret).update(JSON.stringify(words)).digest();
  const sealing = of('seal');
  return {
    derived: (name) => of('account', name),
    sealed(key) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, iv);
      const text = Buffer.concat([cipher.update(key), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
    },
    opened(text) {
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
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * The private key at m/44'/60'/0'/0/`index` of a mnemonic (BIP-39 without a passphrase, BIP-32, BIP-44). The words and
 * their check sum are not looked at: any text has a key.
 */
export async function keyOfMnemonic(mnemonic: string, index: number): Promise<Buffer> {
  const words = mnemonic.normalize('NFKD');
  const seed = await promisify(pbkdf2)(words, 'mnemonic', 2_048, 64, 'sha512');
  const master = createHmac('sha512', 'Bitcoin seed').update(seed).digest();
  return [44 + HARDENED, 60 + HARDENED, HARDENED, 0, index].reduce(child, master).subarray(0, 32);
}

/** The key and chain code, 32 bytes each, below those of `parent`. */
function child(parent: Buffer, index: number): Buffer {
  const [key, chainCode] = [parent.subarray(0, 32), parent.subarray(32)];
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index);
  const data = index >= HARDENED ? Buffer.concat([Buffer.alloc(1), key]) : compressedPublicKey(key);
  const mixed = createHmac('sha512', chainCode).update(data).update(number).digest();
  const sum = (numberOf(mixed.subarray(0, 32)) + numberOf(key)) % ORDER;
  return Buffer.concat([Buffer.from(sum.toString(16).padStart(64, '0'), 'hex'), mixed.subarray(32)]);
}

function compressedPublicKey(key: Buffer): Buffer {
  const pair = createECDH('secp256k1');
  pair.setPrivateKey(key);
  return pair.getPublicKey(null, 'compressed');
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}
