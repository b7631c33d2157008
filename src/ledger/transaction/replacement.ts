import type { Actors } from '../../actors/kind.js';
import type { Chain, Hex } from '../../chain/port.js';
import type { Address } from '../../store/port.js';
import { unsignedOf } from '../../wallets/transaction-bytes.js';
import type { SigningResult, Wallet } from '../../wallets/port.js';
import { transactionAddress } from '../addresses.js';
import { raised } from './raised-fees.js';
import type { Submissions } from './submissions.js';
import type { SignedTransaction } from '../signed-transaction.js';
import type { TransactionContext, TransactionEvent } from './transaction-machine.js';

/** Makes the `replace` of a transaction's broadcast. */
export type Replace = ReturnType<typeof createReplace>;

export interface ReplacementOptions {
  readonly chain: Pick<Chain, 'fees'>;
  readonly submissions: Pick<Submissions, 'find' | 'walletOf'>;
  /** The wallet for callers who name none. */
  readonly defaultWallet: Wallet | undefined;
  /** See `raised`. */
  readonly gasPriceMax: bigint | undefined;
  readonly now: () => number;
}

/**
 * Signs a stuck transaction again: same nonce and content, higher fees. The replacement is durable before it is sent,
 * and is found by its own hash. Nothing is signed while the account alone remembers the transaction, if no wallet is in
 * memory that can sign, or if the price would exceed the highest one.
 */
export function createReplace({ chain, submissions, defaultWallet, gasPriceMax, now }: ReplacementOptions) {
  const walletFor = async ({ hash, operation }: SignedTransaction): Promise<Wallet | undefined> => {
    const wallet = submissions.walletOf(hash);
    if (wallet !== undefined || defaultWallet === undefined) return wallet;
    return (await defaultWallet.account()) === operation.account ? defaultWallet : undefined;
  };

  return (actors: Actors, address: Address, signed: SignedTransaction) =>
    async (newest: Hex, known: number): Promise<SigningResult | undefined> => {
      const { hash: first, raw, operation } = signed;
      if (submissions.find(first)?.submitted !== true) return undefined;
      const before = unsignedOf(newest, operation.account);
      const wallet = await walletFor(signed);
      if (wallet === undefined) return undefined;
      const origin = unsignedOf(raw, operation.account);
      const dearer = raised({ before, first: origin, gasPriceMax, market: await chain.fees() });
      if (dearer === undefined) return undefined;
      const { hash, raw: bytes } = await wallet.sign(dearer);
      const replacement: SigningResult = { hash, raw: bytes };
      const alias: TransactionEvent = { type: 'alias', now: now(), of: first };
      await actors.ask(transactionAddress(address.tenant, replacement.hash), alias);
      const replaced: TransactionEvent = { type: 'replace', now: now(), known, replacement };
      if (await actors.ask<boolean>(address, replaced)) return replacement;
      // Another node of the service was faster: its signature is the next one.
      return (await actors.read<TransactionContext>(address))?.context.replacements[known];
    };
}
