import type { Hex } from '../../chain/port.js';
import { cachedValue, singleFlight } from '../../system/ttl-cache.js';
import { SigningQueue, type SigningRequest } from './signing-queue.js';
import { signingAccount, type SignerOptions } from './signing-account.js';

/** How long an answer of the node counts, ms. */
const PING_MS = 5_000;

/** Has operations signed: one queue for each account. */
export interface Signer {
  /** Rejects where the node of the chain does not answer or lacks the contract. */
  ready(): Promise<void>;
  /** Resolves with the hash of the transaction once that is durable and certain to be sent. Rejects as `SigningQueue.add`. */
  sign(request: SigningRequest): Promise<Hex>;
  /** Called when a transaction from outside has used a nonce of the account. */
  overtaken(account: Hex): void;
}

interface AccountQueue {
  readonly account: ReturnType<typeof signingAccount>;
  readonly queue: SigningQueue;
}

/** Makes the signer of a node. */
export function createSigner(options: SignerOptions): Signer {
  const { chain, now } = options;
  const accounts = new Map<Hex, AccountQueue>();
  const ping = cachedValue({ ttlMs: PING_MS, now, load: () => chain.ping() });
  const pings = singleFlight<void>();

  const queueOf = (account: Hex): SigningQueue => {
    const known = accounts.get(account);
    if (known !== undefined) return known.queue;
    for (const [other, { queue }] of accounts) if (queue.idle) accounts.delete(other);
    const made = signingAccount(options, account);
    const queue = new SigningQueue(made, now);
    accounts.set(account, { account: made, queue });
    return queue;
  };

  return {
    // An earlier answer of the node counts for a while, unless the contract is gone since.
    ready: () => (chain.contractMissing() === undefined ? ping.get() : pings('', () => chain.ping())),
    sign: (request) => queueOf(request.operation.account).add(request),
    overtaken: (account) => accounts.get(account)?.account.overtaken(),
  };
}
