import type { Actors } from '../../actors/kind.js';
import type { Chain, Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import { cachedValue } from '../../system/ttl-cache.js';
import { accountAddress } from '../addresses.js';
import type { Cancellation, SigningResult, Wallet } from '../../wallets/port.js';
import type { NonceGap, SignedTransaction, StoredOperation } from '../signed-transaction.js';
import type { Nonces, Accepted, AccountContext, AccountEvent } from './account-machine.js';

/** An operation that is to be signed. */
export interface SigningRequest {
  readonly wallet: Wallet;
  readonly data: Hex;
  readonly operation: StoredOperation;
  readonly claim: SignedTransaction['claim'];
  /** Of its claim: see `AccountEvent`. */
  readonly since: string | undefined;
  /** Time by which the request must have a nonce, ms since the epoch; else it leaves the queue. */
  readonly deadline: number;
}

/** A request that is signed and has to be made durable. */
export interface SignedRequest {
  readonly request: SigningRequest;
  readonly nonce: number;
  readonly result: SigningResult;
}

export interface SignerOptions {
  readonly actors: Actors;
  readonly chain: Chain;
  /** ms since the epoch. */
  readonly now: () => number;
  /** See `Reorganisations.onNonceGap`. */
  readonly onNonceGap: (account: Hex, gap: NonceGap) => void;
}

/** Number of refusals after which the gas limits of an account's transactions repeat. */
const GAS_LIMITS = 1_000;
/** How long the chain is not asked again for the nonce of an account, ms. */
const NONCE_MS = 2_000;
/** How long the funds of an account are cached, ms. Reading them costs a tenth of an operation. */
const FUNDS_MS = 100;

/** An account, as its queue uses it. */
export type SigningAccount = Omit<ReturnType<typeof signingAccount>, 'overtaken'>;

/** Returns an account of the chain. */
export function signingAccount({ actors, chain, now, onNonceGap }: SignerOptions, account: Hex) {
  const address = accountAddress(chain.name, account);
  let askedAt = 0;
  const funds = cachedValue({
    ttlMs: FUNDS_MS,
    now,
    async load() {
      const [balance, used] = await Promise.all([chain.balance(account), chain.nextNonce(account, 'latest')]);
      return { balance, used };
    },
  });

  /**
   * Throws `Refusal('bad-gateway')` where the account cannot pay this transaction and those that wait for a block: a node
   * takes a transaction whose account can pay it alone, and may then never put it into a block.
   */
  const requireFunds = async (nonce: number, cost: bigint): Promise<void> => {
    const lacks = ({ balance, used }: Funds): boolean => balance < cost * BigInt(waitingOf(nonce, used) + 1);
    const known = await funds.get();
    if (!lacks(known)) return;
    // More may have arrived since.
    funds.delete(known);
    const newest = await funds.get();
    if (!lacks(newest)) return;
    const waiting = waitingOf(nonce, newest.used);
    throw new Refusal(
      'bad-gateway',
      `account ${account} is out of funds: it has ${newest.balance} wei, a transaction costs up to ${cost} wei` +
        `${waiting === 0 ? '' : `, and ${waiting} are on their way`}; nothing was done`,
    );
  };

  return {
    /** Reads which nonces come next. Throws what the store and the chain throw. */
    async nonces(): Promise<Nonces> {
      const view = await actors.read<AccountContext>(address);
      const { next, free = [], refusals = 0 } = view?.context ?? {};
      if (next !== undefined && Math.abs(now() - askedAt) < NONCE_MS) return { next, free, refusals };
      const used = await chain.nextNonce(account, 'pending');
      askedAt = now();
      const missing = view === undefined ? 0 : missingOf(view.context, used);
      if (missing > 0) onNonceGap(account, { used, below: next!, missing });
      if (next !== undefined && used <= next) return { next, free, refusals };
      const follow: AccountEvent = { type: 'follow', now: now(), next: used };
      return actors.ask<Nonces>(address, follow);
    },

    /**
     * Has a request signed with this nonce, after so many refusals (`Nonces.refusals`). Throws `Refusal`. `cancellation` is
     * aborted when the signature is not needed any more.
     */
    async sign(
      { wallet, data }: SigningRequest,
      nonce: number,
      refusals: number,
      cancellation: Cancellation,
    ): Promise<SigningResult> {
      const fees = await chain.fees();
      const { gasPrice } = fees;
      const dynamic = wallet.signsDynamicFees === true ? fees.dynamic : undefined;
      const most = dynamic?.maxFeePerGas ?? gasPrice;
      if (most > 0n) await requireFunds(nonce, most * fees.gasLimit);
      // A refused transaction stays refused by its hash. Another gas limit makes another hash and costs nothing.
      const gasLimit = fees.gasLimit + BigInt(refusals % GAS_LIMITS);
      const { contract: to, id: chainId } = chain;
      // Without a spread, which would make a hidden class for each transaction.
      const unsigned =
        dynamic === undefined
          ? { from: account, to, data, nonce, gasLimit, chainId, gasPrice }
          : {
              from: account,
              to,
              data,
              nonce,
              gasLimit,
              chainId,
              maxFeePerGas: dynamic.maxFeePerGas,
              maxPriorityFeePerGas: dynamic.maxPriorityFeePerGas,
            };
      return wallet.sign(unsigned, cancellation);
    },

    /** Makes signatures durable, in the order of their nonces. */
    commit(signed: readonly SignedRequest[]): Promise<Accepted> {
      const signedAt = now();
      const transactions = signed.map(({ request, nonce, result }): SignedTransaction => {
        const { operation, claim } = request;
        const { hash, raw } = result;
        return { hash, raw, nonce, claim, signedAt, operation };
      });
      const since = signed.map(({ request }) => request.since);
      const event: AccountEvent = { type: 'signed', now: signedAt, transactions, since };
      return actors.ask<Accepted>(address, event);
    },

    /** Called when a transaction from outside has used a nonce of the account. */
    overtaken: () => void (askedAt = 0),
  };
}

/**
 * Counts the dispatched transactions with nonces from `used` on. The context must be from before the chain was asked:
 * transactions dispatched later are on the chain.
 */
function missingOf({ next = 0, free, outbox }: AccountContext, used: number): number {
  const waiting = outbox.filter(({ transaction }) => transaction.nonce >= used).length;
  return next - used - waiting - free.filter((nonce) => nonce >= used).length;
}

/** The funds of an account, wei, and its next nonce in blocks, at one time. */
interface Funds {
  readonly balance: bigint;
  readonly used: number;
}

/** The transactions with lower nonces that wait for a block. */
function waitingOf(nonce: number, used: number): number {
  return Math.max(0, nonce - used);
}
