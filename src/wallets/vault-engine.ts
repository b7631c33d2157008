import type { AccountAddress } from './wallet-address.js';
import type { UnsignedTransaction } from './port.js';

/** How a secret engine of Vault wants to be asked. */
export interface VaultEngine {
  readonly name: 'vault-ethereum' | 'ethsign';
  /** What comes behind the account's path to sign. */
  readonly signPath: 'sign-tx' | 'sign';
  /** What is posted there. */
  readonly request: (transaction: UnsignedTransaction) => Readonly<Record<string, string>>;
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

/** The engine of an account: those of ethsign are called by their address. */
export function engineOf({ name }: AccountAddress): VaultEngine {
  return /^0x[0-9a-f]{40}$/.test(name) ? ethsign : vaultEthereum;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;
const DATA = /^0x(?:[0-9a-f]{2})*$/;

/**
 * Throws a `TypeError` for a transaction that an engine would take for something else: it signs for address zero where
 * `to` is none, cuts numbers to 64 bits, and ends its process over longer ones.
 */
export function checkTransaction(transaction: UnsignedTransaction): void {
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
