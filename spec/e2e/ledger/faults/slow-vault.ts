import { randomBytes } from 'node:crypto';
import { addressOf, signTransaction } from '../../../../src/wallets/transaction-bytes.js';
import { answerJson, standIn, type StandIn } from '../../../identity/stand-in.js';
import { askedIn } from './fickle-vault.js';
import { type Signer, walletHeaders } from '../scene.js';

/** A wallet with vault-ethereum's paths whose accounts sign as slowly as a spec says. */
export interface SlowVault extends StandIn {
  /** An account whose signatures take so long, ms. */
  account(name: string, signingMs: number): Signer;
  /** Signatures that were asked for and are not made yet. */
  signing(): number;
}

/** Starts one, for a chain with id 1337. */
export async function startSlowVault(): Promise<SlowVault> {
  const accounts = new Map<string, { readonly key: Buffer; signingMs: number }>();
  let signing = 0;
  const server = await standIn((request, response) => {
    const [, name = ''] = /accounts\/([a-z]+)/.exec(request.path) ?? [];
    const { key, signingMs } = accounts.get(name)!;
    const address = addressOf(key);
    if (!request.path.endsWith('/sign-tx')) return answerJson(response, 200, { data: { address } });
    signing += 1;
    setTimeout(() => {
      signing -= 1;
      const { raw } = signTransaction(askedIn(request, address), key);
      answerJson(response, 200, { data: { signed_transaction: raw } });
    }, signingMs);
  });
  return {
    ...server,
    account(name, signingMs) {
      const key = accounts.get(name)?.key ?? randomBytes(32);
      accounts.set(name, { key, signingMs });
      const url = `${server.url}/v1/ethereum/accounts/${name}`;
      return { address: addressOf(key), headers: walletHeaders(url, 'any-token') };
    },
    signing: () => signing,
  };
}
