import type { Actors } from '../../actors/runtime.js';
import type { Chain, Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import { cachedValue, singleFlight } from '../../system/ttl-cache.js';
import type { Cancellation, Wallet } from '../../wallets/port.js';
import { accountAddress } from '../addresses.js';
import { type Job, NonceQueue, type Signature } from './nonce-queue.js';
import type { NonceGap, StoredOperation, SignedTransaction } from '../signed-transaction.js';
import type { Nonces, Accepted, AccountContext, AccountEvent } from './account-machine.js';

/** A request to sign an operation. */
export interface SigningRequest {
  readonly wallet: Wallet;
  readonly data: Hex;
  readonly operation: StoredOperation;
  readonly claim: SignedTransaction['claim'];
  /** Of its claim: see `AccountEvent`. */
  readonly since: string | undefined;
  /** See `Job`. */
  readonly deadline: number;
}

export interface SignerOptions {
  readonly actors: Actors;
  readonly chain: Chain;
  readonly now: () => number;
  /**
   * See `Reorganisations.onNonceGap`.
   */
  readonly onNonceGap: (account: Hex, gap: NonceGap) => void;
}

interface Request extends Job {
  readonly asked: SigningRequest;
}

/** How long an answer of the node counts, ms. */
const PING_MS = 5_000;
/** After so many refusals the gas limits of an account's transactions repeat. */
const DIFFERENT = 1_000;
/** How long the chain is not asked again for the nonce of an account, ms. */
const NONCE_MS = 2_000;

/** Has operations signed: one queue for each account. */
export interface Signer {
  /** Rejects where the node of the chain does not answer or lacks the contract. */
  ready(): Promise<void>;
  /** Resolves with the hash of the transaction once that is durable and certain to be sent. Rejects as `NonceQueue.add`. */
  sign(request: SigningRequest): Promise<Hex>;
  /** Called when a transaction from outside has used a nonce of the account. */
  overtaken(account: Hex): void;
}

/** Makes the signer of a node. */
export function createSigner({ actors, chain, now, onNonceGap }: SignerOptions): Signer {
  const queues = new Map<Hex, NonceQueue<Request>>();
  const askedAt = new Map<Hex, number>();
  const ping = cachedValue({ ttlMs: PING_MS, now, load: () => chain.ping() });
  const pings = singleFlight<void>();

  const nonces = async (account: Hex): Promise<Nonces> => {
    const address = accountAddress(chain.name, account);
    const view = await actors.read<AccountContext>(address);
    const { next, free = [], refusals = 0 } = view?.context ?? {};
    if (next !== undefined && Math.abs(now() - (askedAt.get(account) ?? 0)) < NONCE_MS)
      return { next, free, refusals };
    const used = await chain.nextNonce(account, 'pending');
    askedAt.set(account, now());
    const missing = view === undefined ? 0 : missingOf(view.context, used);
    if (missing > 0) onNonceGap(account, { used, below: next!, missing });
    if (next !== undefined && used <= next) return { next, free, refusals };
    const follow: AccountEvent = { type: 'follow', now: now(), next: used };
    return actors.ask<Nonces>(address, follow);
  };

  const commit = (account: Hex, signatures: readonly Signature<Request>[]): Promise<Accepted> => {
    const signedAt = now();
    const transactions = signatures.map(({ job, nonce, transaction }): SignedTransaction => {
      const { operation, claim } = job.asked;
      const { hash, raw } = transaction;
      return { hash, raw, nonce, claim, signedAt, operation };
    });
    const since = signatures.map(({ job }) => job.asked.since);
    const event: AccountEvent = { type: 'signed', now: signedAt, transactions, since };
    return actors.ask<Accepted>(accountAddress(chain.name, account), event);
  };

  const queueOf = (account: Hex): NonceQueue<Request> => {
    const known = queues.get(account);
    if (known !== undefined) return known;
    for (const [other, queue] of queues) {
      if (!queue.idle) continue;
      queues.delete(other);
      askedAt.delete(other);
    }
    const queue = new NonceQueue<Request>({
      nonces: () => nonces(account),
      commit: (signatures) => commit(account, signatures),
      now,
    });
    queues.set(account, queue);
    return queue;
  };

  const signed = async (
    { wallet, data, operation }: SigningRequest,
    nonce: number,
    refusals: number,
    cancellation: Cancellation,
  ) => {
    const fees = await chain.fees();
    if (fees.gasPrice > 0n) {
      await requireFunds(chain, operation.account, nonce, fees.gasPrice * fees.gasLimit);
    }
    const { account: from } = operation;
    // A refused transaction stays refused by its hash. Another gas limit makes another hash and costs nothing.
    const gasLimit = fees.gasLimit + BigInt(refusals % DIFFERENT);
    return wallet.sign(
      { from, to: chain.contract, data, nonce, ...fees, gasLimit, chainId: chain.id },
      cancellation,
    );
  };

  return {
    // An earlier answer of the node counts for a while, unless the contract is gone since.
    ready: () => (chain.contractMissing() === undefined ? ping.get() : pings('', () => chain.ping())),
    sign(request) {
      return queueOf(request.operation.account).add({
        asked: request,
        deadline: request.deadline,
        sign: (nonce, refusals, cancellation) => signed(request, nonce, refusals, cancellation),
      });
    },
    overtaken: (account) => void askedAt.delete(account),
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

/**
 * Throws `Refusal('bad-gateway')` where the account cannot pay this transaction and those that wait for a block: a node
 * takes a transaction whose account can pay it alone, and may then never put it into a block.
 */
async function requireFunds(chain: Chain, account: Hex, nonce: number, cost: bigint): Promise<void> {
  const [balance, used] = await Promise.all([chain.balance(account), chain.nextNonce(account, 'latest')]);
  const waiting = Math.max(0, nonce - used);
  if (balance >= cost * BigInt(waiting + 1)) return;
  throw new Refusal(
    'bad-gateway',
    `account ${account} is out of funds: it has ${balance} wei, a transaction costs up to ${cost} wei` +
      `${waiting === 0 ? '' : `, and ${waiting} are on their way`}; nothing was done`,
  );
}
