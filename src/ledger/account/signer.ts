import type { Hex } from '../../chain/port.js';
import { cachedValue, singleFlight } from '../../system/ttl-cache.js';
import { SigningQueue } from './signing-queue.js';
import { signingAccount, type SignerOptions, type SigningRequest } from './signing-account.js';

/** How long an answer of the node counts, ms. */
const PING_MS = 5_000;

/** Has operations signed: one queue for each account. */
export type Signer = ReturnType<typeof createSigner>;

/** Makes the signer of a node. */
export function createSigner(options: SignerOptions) {
  const { chain, now } = options;
  const accounts = new Map<Hex, { account: ReturnType<typeof signingAccount>; queue: SigningQueue }>();
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
    /**
     * Rejects where the node of the chain does not answer or lacks the contract. An earlier answer of the node counts for a
     * while, unless the contract is gone since.
     */
    ready: () => (chain.contractMissing() === undefined ? ping.get() : pings('', () => chain.ping())),
    /** Resolves with the hash of the transaction once that is durable and certain to be sent. Rejects as `SigningQueue.add`. */
    sign: (request: SigningRequest) => queueOf(request.operation.account).add(request),
    /** Called when a transaction from outside has used a nonce of the account. */
    overtaken: (account: Hex) => accounts.get(account)?.account.overtaken(),
  };
}
