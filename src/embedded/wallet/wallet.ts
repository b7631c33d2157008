import { Refusal } from '../../errors.js';
import { type Hex, hexOf, keccak } from '../../system/chain-bytes.js';
import type { Wallet } from '../../wallets/port.js';
import { keyOfMnemonic, walletKeys } from './keys.js';
import { accountRequest, transactionRequest } from './request.js';

/** Where the accounts of the embedded wallet are kept, as durably as their keys shall live. */
export interface Accounts {
  /** What is kept of an account; undefined where there is none of this name. */
  get(name: string): Promise<string | undefined>;
  /** Keeps an account, durably when it resolves, and gives what is kept then: of two at once the first stays. */
  add(name: string, kept: string): Promise<string>;
  /** In order of the alphabet. */
  names(): Promise<readonly string[]>;
}

/** What the embedded wallet is made of. */
export interface EmbeddedWalletOptions {
  readonly accounts: Accounts;
  /** At least 32 bytes; accounts have the same keys for as long as this is the same. */
  readonly secret: Uint8Array;
  /** The chain that it signs for; asked when there is something to sign. */
  readonly chainId: () => number;
  /** The signer over a private key. */
  readonly keyWallet: (privateKey: Hex) => Wallet;
}

/** A wallet for development, answering what vault-ethereum answers under `data`. Its methods throw `Refusal`. */
export interface EmbeddedWallet {
  /** The account; `not-found` where there is none. */
  read(name: string): Promise<VaultData>;
  /** Makes an account of `{}` or `{"mnemonic","index"?}`; one that is there already stays as it is. */
  create(name: string, body: unknown): Promise<VaultData>;
  /** The names of all accounts. */
  list(): Promise<readonly string[]>;
  /** Signs a transaction (`sign-tx`); `not-found` where there is no such account. */
  sign(name: string, body: unknown): Promise<VaultData>;
}

type VaultData = Readonly<Record<string, string | null>>;

/** Of an account whose key is made of its name. */
const DERIVED = 'derived';

/** Opens it. Throws an `Error` for a secret under 32 bytes. */
export function embeddedWallet(options: EmbeddedWalletOptions): EmbeddedWallet {
  const { accounts, secret, chainId } = options;
  const keys = walletKeys(secret);

  function walletOf(name: string, kept: string): Wallet {
    const key = kept === DERIVED ? keys.derived(name) : keys.opened(kept);
    return options.keyWallet(hexOf(key));
  }

  async function known(name: string): Promise<Wallet> {
    const kept = await accounts.get(name);
    if (kept === undefined)
      throw new Refusal('not-found', `there is no account of this name; POST makes one`);
    return walletOf(name, kept);
  }

  async function made(name: string, body: unknown): Promise<Wallet> {
    const { mnemonic, index } = accountRequest(body);
    const kept = mnemonic === undefined ? DERIVED : keys.sealed(await keyOfMnemonic(mnemonic, index));
    return walletOf(name, await accounts.add(name, kept));
  }

  return {
    read: async (name) => accountData(await known(name)),
    create: async (name, body) => accountData(await made(name, body)),
    list: () => accounts.names(),
    async sign(name, body) {
      const wallet = await known(name);
      const transaction = transactionRequest(body, await wallet.account(), chainId());
      const { raw, hash } = await wallet.sign(transaction);
      return {
        amount: '0',
        from: checksummed(transaction.from),
        gas_limit: String(transaction.gasLimit),
        gas_price: String(transaction.gasPrice),
        nonce: String(transaction.nonce),
        signed_transaction: raw,
        to: checksummed(transaction.to),
        transaction_hash: hash,
      };
    },
  };
}

async function accountData(wallet: Wallet): Promise<VaultData> {
  return { address: checksummed(await wallet.account()), exclusions: null, inclusions: null };
}

/** The address in the mixed case of EIP-55, as Vault writes it. */
function checksummed(address: Hex): string {
  const digits = address.slice(2);
  const hash = Buffer.from(keccak(digits)).toString('hex');
  return `0x${Array.from(digits, (digit, i) => (hash[i]! >= '8' ? digit.toUpperCase() : digit)).join('')}`;
}
