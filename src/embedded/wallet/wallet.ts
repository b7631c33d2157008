import { Refusal } from '../../errors.js';
import { checksumAddress, hexOf } from '../../system/chain-bytes.js';
import { keyWallet } from '../../wallets/key-wallet.js';
import type { Wallet } from '../../wallets/port.js';
import { keyOfMnemonic, walletKeys } from './keys.js';
import { accountRequest, transactionRequest } from './request.js';

/** Durable storage of the embedded wallet's accounts. */
export interface Accounts {
  /** Returns the record of an account. undefined if it does not exist. */
  get(name: string): Promise<string | undefined>;
  /** Stores an account, durable once resolved. Returns the stored record: the first of two concurrent ones. */
  add(name: string, record: string): Promise<string>;
  /** Returns the names in alphabetical order. */
  names(): Promise<readonly string[]>;
}

/** Options of the embedded wallet. */
export interface EmbeddedWalletOptions {
  readonly accounts: Accounts;
  /** At least 32 bytes. Equal secrets give equal keys. */
  readonly secret: Uint8Array;
  /** Chain id of signed transactions. Called for each signature. */
  readonly chainId: () => number;
}

/** Development wallet. Returns the member `data` of vault-ethereum's answers. Its methods throw `Refusal`. */
export type EmbeddedWallet = ReturnType<typeof embeddedWallet>;

type VaultData = Readonly<Record<string, string | null>>;

/** Record of an account whose key is derived from its name. */
const DERIVED = 'derived';

/** Opens the wallet. Throws an `Error` for a secret under 32 bytes. */
export function embeddedWallet({ accounts, secret, chainId }: EmbeddedWalletOptions) {
  const keys = walletKeys(secret);

  function walletOf(name: string, record: string): Wallet {
    const key = record === DERIVED ? keys.derived(name) : keys.opened(record);
    return keyWallet(hexOf(key));
  }

  async function existing(name: string): Promise<Wallet> {
    const record = await accounts.get(name);
    if (record === undefined)
      throw new Refusal('not-found', `there is no account of this name; POST makes one`);
    return walletOf(name, record);
  }

  async function created(name: string, body: unknown): Promise<Wallet> {
    const { mnemonic, index } = accountRequest(body);
    const record = mnemonic === undefined ? DERIVED : keys.sealed(await keyOfMnemonic(mnemonic, index));
    return walletOf(name, await accounts.add(name, record));
  }

  return {
    /** Returns an account. Throws `not-found` if it does not exist. */
    read: async (name: string) => accountData(await existing(name)),
    /** Creates an account from `{}` or `{"mnemonic","index"?}`. An existing account stays as it is. */
    create: async (name: string, body: unknown) => accountData(await created(name, body)),
    /** Returns the names of all accounts. */
    list: () => accounts.names(),
    /** Signs a transaction (`sign-tx`). Throws `not-found` if the account does not exist. */
    async sign(name: string, body: unknown): Promise<VaultData> {
      const wallet = await existing(name);
      const transaction = transactionRequest(body, await wallet.account(), chainId());
      const { raw, hash } = await wallet.sign(transaction);
      return {
        amount: '0',
        from: checksumAddress(transaction.from),
        gas_limit: String(transaction.gasLimit),
        gas_price: String(transaction.gasPrice),
        nonce: String(transaction.nonce),
        signed_transaction: raw,
        to: checksumAddress(transaction.to),
        transaction_hash: hash,
      };
    },
  };
}

async function accountData(wallet: Wallet): Promise<VaultData> {
  return { address: checksumAddress(await wallet.account()), exclusions: null, inclusions: null };
}
