import type { AccountAddress } from './wallet-address.js';
import type { LegacyTransaction, UnsignedTransaction } from './port.js';

/** The requests of a secret engine of Vault. */
export interface VaultEngine {
  readonly name: 'vault-ethereum' | 'ethsign';
  /** Last part of the path for signing, after the path of the account. */
  readonly signPath: 'sign-tx' | 'sign';
  /** The body for signing. */
  readonly request: (transaction: LegacyTransaction) => Readonly<Record<string, string>>;
}

const vaultEthereum: VaultEngine = {
  name: 'vault-ethereum',
  signPath: 'sign-tx',
  request: ({ to, data, nonce, gasLimit, gasPrice }) => ({
    to,
    data: data.slice(2),
    encoding: 'hex',
    amount: '0',
    nonce: String(nonce),
    gas_limit: String(gasLimit),
    gas_price: String(gasPrice),
  }),
};

const ethsign: VaultEngine = {
  name: 'ethsign',
  signPath: 'sign',
  request: ({ to, data, nonce, gasLimit, gasPrice, chainId }) => ({
    to,
    data,
    value: '0',
    nonce: String(nonce),
    gas: String(gasLimit),
    gasPrice: String(gasPrice),
    chainId: String(chainId),
  }),
};

/** The engine of an account. The name of an account of ethsign is its address. */
export function engineOf({ name }: AccountAddress): VaultEngine {
  return /^0x[0-9a-f]{40}$/.test(name) ? ethsign : vaultEthereum;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;
const DATA = /^0x(?:[0-9a-f]{2})*$/;

/**
 * Throws a `TypeError` for a transaction that an engine would misread: engines sign for address zero if `to` is not an address,
 * cut numbers to 64 bits, and end over longer ones.
 */
export function checkTransaction(transaction: UnsignedTransaction): asserts transaction is LegacyTransaction {
  if (!('gasPrice' in transaction)) throw new TypeError('engines of Vault sign no transaction of EIP-1559');
  const { from, to, data, nonce, gasPrice, gasLimit, chainId } = transaction;
  const isSound =
    ADDRESS.test(from) &&
    ADDRESS.test(to) &&
    DATA.test(data) &&
    Number.isSafeInteger(nonce) &&
    nonce >= 0 &&
    Number.isSafeInteger(chainId) &&
    chainId > 0 &&
    gasPrice >= 0n &&
    gasPrice < 1n << 256n &&
    gasLimit >= 0n &&
    gasLimit < 1n << 64n;
  if (!isSound) throw new TypeError('not a transaction that a wallet can sign');
}
