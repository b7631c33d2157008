import { Refusal } from '../../errors.js';
import { type Hex, hexOf } from '../../system/chain-bytes.js';
import type { LegacyTransaction } from '../../wallets/port.js';

/** Request for a new account. */
export interface AccountRequest {
  /** Source of the key. undefined for a key of the wallet's own. */
  readonly mnemonic: string | undefined;
  /** Index of the mnemonic's account. */
  readonly index: number;
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const NUMBER = /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i;
const WORDS = /^[a-z]+(?: [a-z]+){11,23}$/;
/** Vault's default. */
const DEFAULT_GAS_LIMIT = '21000';

/** Reads the body of a request for a new account. Ignores unknown members, as Vault does. Throws `Refusal('bad-request')`. */
export function accountRequest(body: unknown): AccountRequest {
  const { mnemonic = '', index = 0, inclusions, exclusions } = objectOf(body);
  if (isNonEmpty(inclusions) || isNonEmpty(exclusions)) {
    throw new Refusal('bad-request', 'inclusions and exclusions are not known to this development wallet');
  }
  if (mnemonic !== '' && (typeof mnemonic !== 'string' || !WORDS.test(mnemonic))) {
    throw new Refusal('bad-request', 'mnemonic must be 12 to 24 words in lower case, one blank between them');
  }
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= 2 ** 31) {
    throw new Refusal('bad-request', 'index must be an integer from 0 to 2147483647');
  }
  return { mnemonic: mnemonic === '' ? undefined : mnemonic, index };
}

/**
 * Reads the body of `sign-tx` (vault-ethereum). Unlike Vault, which asks its node, requires `nonce`, and `gas_price` unless
 * it is 0. Throws `Refusal('bad-request')`.
 */
export function transactionRequest(body: unknown, from: Hex, chainId: number): LegacyTransaction {
  const { to, data = '', encoding = 'utf8', ...numbers } = objectOf(body);
  if (typeof to !== 'string' || !ADDRESS.test(to)) {
    throw new Refusal('bad-request', 'to must be an address: 0x and 40 hexadecimal digits');
  }
  if (numberIn(numbers, 'amount', '0') !== 0n) {
    throw new Refusal('bad-request', 'amount must be 0: this development wallet signs no transfers');
  }
  return {
    from,
    to: to.toLowerCase() as Hex,
    data: dataOf(data, encoding),
    nonce: nonceOf(numberIn(numbers, 'nonce')),
    gasPrice: numberIn(numbers, 'gas_price', '0'),
    gasLimit: numberIn(numbers, 'gas_limit', DEFAULT_GAS_LIMIT),
    chainId,
  };
}

function objectOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw new Refusal('bad-request', 'the body must be a JSON object');
}

function isNonEmpty(list: unknown): boolean {
  return list !== undefined && list !== null && list !== '' && !(Array.isArray(list) && list.length === 0);
}

function dataOf(data: unknown, encoding: unknown): Hex {
  if (typeof data !== 'string' || (encoding !== 'hex' && encoding !== 'utf8')) {
    throw new Refusal('bad-request', 'data must be a text, and encoding hex or utf8');
  }
  if (encoding === 'utf8') return hexOf(Buffer.from(data));
  if (/^(?:[0-9a-f]{2})*$/i.test(data)) return `0x${data.toLowerCase()}`;
  throw new Refusal('bad-request', 'data must be an even number of hexadecimal digits, without 0x in front');
}

function numberIn(numbers: Readonly<Record<string, unknown>>, name: string, otherwise = ''): bigint {
  const given = numbers[name] ?? otherwise;
  const text = typeof given === 'number' ? String(given) : given;
  const value = typeof text === 'string' && NUMBER.test(text) ? BigInt(text) : undefined;
  const most = name === 'gas_limit' ? 64n : 256n;
  if (value === undefined || value >= 1n << most) {
    throw new Refusal(
      'bad-request',
      `${name} must be a whole number as text, decimal or 0x, of at most ${most} bits`,
    );
  }
  return value;
}

function nonceOf(nonce: bigint): number {
  if (nonce <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(nonce);
  throw new Refusal('bad-request', `nonce must not be above ${Number.MAX_SAFE_INTEGER}`);
}
