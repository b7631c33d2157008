import { inspect } from 'node:util';
import { expect } from 'chai';
import { Refusal } from '../../src/errors.js';
import { keyWallet } from '../../src/wallets/key-wallet.js';
import type { Wallets } from '../../src/wallets/named-wallet.js';
import type { UnsignedTransaction, Wallet } from '../../src/wallets/port.js';
import { openWallets } from '../../src/wallets/select.js';
import { rejectionOf } from '../rejection.js';
import { type Handler, type StandIn, answerJson, standIn } from '../identity/stand-in.js';
import { transactionOf } from './transactions.js';

/** Must not be in any error. */
export const TOKEN = 'hvs.s3ntinel-T0ken';
export const KEY = `0x${'11'.repeat(32)}` as const;
/** Of another account. */
export const OTHER_KEY = `0x${'22'.repeat(32)}` as const;
/** The account of the key that `rawOf` signs with. */
export const FROM = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a';
/** The transaction that the wallet must sign. */
export const WANTED = transactionOf(FROM);

/** Stand-ins for Vault, and wallets at them, for the specs of a `describe`. */
interface VaultScene {
  /** Starts a stand-in that answers so. */
  readonly vault: (handler: Handler) => Promise<StandIn>;
  /** Opens a wallet at a stand-in. */
  readonly walletAt: (url: string, options?: WalletChanges) => Promise<Wallet>;
  /** How a wallet refuses to sign when a stand-in answers so. */
  readonly signingWith: (handler: Handler, options?: WalletChanges) => Promise<Refusal>;
  /** Closes the wallets that are open. */
  readonly closeWallets: () => Promise<void>;
}

interface WalletChanges {
  readonly timeoutMs?: number;
  readonly now?: () => number;
  readonly path?: string;
}

/** Sets the scene; whatever it started ends after each spec. */
export function vaultScene(): VaultScene {
  const wallets: Wallets[] = [];
  const servers: StandIn[] = [];
  const closeAll = async (parts: { close(): Promise<void> }[]): Promise<void> => {
    await Promise.all(parts.splice(0).map((part) => part.close()));
  };
  afterEach(async () => {
    await closeAll(wallets);
    await closeAll(servers);
  });

  const scene: VaultScene = {
    async vault(handler) {
      const server = await standIn(handler);
      servers.push(server);
      return server;
    },
    async walletAt(url, { path = '/v1/ethereum/accounts/a', timeoutMs = 5_000, now = Date.now } = {}) {
      const opened = openWallets({
        addresses: [url],
        production: true,
        defaultKey: undefined,
        timeoutMs,
        now,
      });
      wallets.push(opened);
      return opened.open({ type: 'vault', address: `${url}${path}`, token: TOKEN });
    },
    async signingWith(handler, options) {
      const { url } = await scene.vault(handler);
      return refusedBy((await scene.walletAt(url, options)).sign(WANTED));
    },
    closeWallets: () => closeAll(wallets),
  };
  return scene;
}

/** How a wallet refuses, without a word of the token. */
export async function refusedBy(work: Promise<unknown>): Promise<Refusal> {
  const error = await rejectionOf(work);
  expect(inspect(error, { depth: 9 })).not.to.contain(TOKEN);
  expect(error).to.be.instanceOf(Refusal);
  return error as Refusal;
}

/** Answers with this as the signed transaction. */
export const signed = (raw: unknown): Handler => {
  return (_, response) => answerJson(response, 200, { data: { signed_transaction: raw } });
};

/** The transaction that is wanted, but for these changes, signed as it should be. */
export const rawOf = async (changes: Partial<UnsignedTransaction>): Promise<string> =>
  (await keyWallet(KEY).sign({ ...WANTED, ...changes })).raw;
