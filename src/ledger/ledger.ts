import type { Actors } from '../actors/runtime.js';
import type { Chain, ChainMisfit, Hex } from '../chain/port.js';
import { timestampCall } from '../chain/timestamp-call.js';
import { Refusal } from '../errors.js';
import { StoreUnavailable } from '../store/port.js';
import { mapInBatches } from '../system/in-batches.js';
import type { BatchPages } from './index/batch-pages.js';
import { beforeDeadline } from './deadline.js';
import type { TransactionId } from './idempotency/key-machine.js';
import type { Keys } from './idempotency/keys.js';
import { entityList, type Lists } from './index/lists.js';
import { BATCH_PAGE, type Operation } from './operation.js';
import type { Caller, Ledger } from './port.js';
import type { ReceiptReader } from './receipts/receipt-reader.js';
import type { Outcome } from './transaction/submissions.js';
import type { ReceiptWaiters } from './transaction/receipt-waiters.js';
import { SIGNING_GRACE_MS } from './account/nonce-queue.js';
import type { Signer } from './account/signer.js';
import type { ListedUnder, StoredOperation } from './signed-transaction.js';

export interface LedgerOptions {
  readonly actors: Actors;
  readonly chain: Chain;
  readonly batchPages: BatchPages;
  readonly lists: Lists;
  readonly keys: Keys;
  readonly signing: Signer;
  readonly receiptWaiters: ReceiptWaiters;
  readonly receipts: ReceiptReader;
  readonly now: () => number;
}

/** The transaction of an operation. */
interface Sent extends TransactionId {
  /** True if an earlier request with the same Idempotency-Key had it signed. */
  readonly old: boolean;
}

/** How often an operation is signed again after a transaction from outside has used its nonce. */
const OVERTAKEN = 3;
const UNKNOWN =
  'the database did not answer: the outcome is unknown, the operation may or may not have been recorded';

/** Makes the ledger that the routes call. */
export function createLedger(options: LedgerOptions): Ledger {
  const { chain, keys, signing, receiptWaiters, receipts, now } = options;

  /** Prepares the operation for its signature. Nothing of it is recorded yet. */
  const prepare = async (operation: Operation, { wallet, deadline }: Caller): Promise<StoredOperation> => {
    let late = 'the wallet did not answer';
    const work = async (): Promise<StoredOperation> => {
      const account = await wallet.account();
      late = 'the node of the chain did not answer';
      await signing.ready();
      late = 'the operation was not ready to be signed';
      return storedOperation(options, operation, account);
    };
    return beforeDeadline(work(), { deadline, now, late: () => notReady(late) });
  };

  /** Returns the transaction that the Idempotency-Key has already, else has the operation signed. */
  const transaction = async (operation: StoredOperation, caller: Caller): Promise<Sent> => {
    const { wallet, key, deadline } = caller;
    const { account } = operation;
    const data = timestampCall(operation.assetId, operation.hash);
    if (key === undefined) {
      const hash = await signing.sign({
        wallet,
        data,
        operation,
        deadline,
        claim: undefined,
        since: undefined,
      });
      return { chain: chain.name, hash, old: false };
    }
    const claimed = await keys.claim(account, key, deadline);
    if ('hash' in claimed) return { ...claimed, old: true };
    const { claim: id, since } = claimed;
    try {
      const claim = { key: key.name, id };
      const hash = await signing.sign({ wallet, data, operation, deadline, claim, since });
      const signed = { chain: chain.name, hash };
      keys.leave(id, signed);
      return { ...signed, old: false };
    } catch (error) {
      // The signature may be durable if the store did not answer: the next request with this key finds out.
      if (error instanceof StoreUnavailable) keys.leave(id, undefined);
      else void keys.release(account, key.name, id);
      throw error;
    }
  };

  /** A transaction that was still being signed at the deadline is waited for a little longer. */
  const waitFor = (sent: Sent, { deadline, wallet }: Caller): Promise<Outcome | undefined> => {
    const until = sent.old || now() <= deadline ? deadline : deadline + SIGNING_GRACE_MS;
    return receiptWaiters.wait(sent, Math.max(0, until - now()), wallet);
  };

  const attempt = async (
    operation: StoredOperation,
    caller: Caller,
    tries: number,
  ): Promise<Iterable<string>> => {
    const sent = await transaction(operation, caller);
    const outcome = await waitFor(sent, caller);
    if (outcome?.is === 'refused' && outcome.reason === 'nonce-used' && tries > 0) {
      signing.overtaken(operation.account);
      return attempt(operation, caller, tries - 1);
    }
    if (outcome?.is === 'recorded') {
      const receipt = await receipts.receipt(sent, outcome.transaction);
      if (receipt !== undefined) return receipt;
    }
    throw unsettled(outcome, sent.hash, operation.account, chain.contractMissing());
  };

  return {
    async record(operation, caller) {
      try {
        return await attempt(await prepare(operation, caller), caller, OVERTAKEN);
      } catch (error) {
        // L2 and L4 are GETs that record: the answer to other GETs, that nothing was done, would be wrong for them.
        throw error instanceof StoreUnavailable
          ? new Refusal('unavailable', UNKNOWN, { cause: error })
          : error;
      }
    },
    entities: (page, tenant) => receipts.entities(page, tenant),
    transactions: (entityId, page, tenant) => receipts.transactions(entityId, page, tenant),
  };
}

function notReady(what: string): Refusal {
  return new Refusal('unavailable', `${what} in the time that LEDGER_WAIT_S allows; nothing was done`);
}

async function storedOperation(
  options: LedgerOptions,
  operation: Operation,
  account: Hex,
): Promise<StoredOperation> {
  const { name, assetId, hash, tenant, tenantName, link, query } = operation;
  const listed = await listedUnder(options, operation);
  return { name, assetId, hash, tenant, tenantName, link, query, account, listed };
}

async function listedUnder(
  { actors, batchPages, lists }: LedgerOptions,
  { entities, batch }: Operation,
): Promise<ListedUnder> {
  if (batch === undefined) {
    const [entityId] = entities;
    return { entityId: entityId!, from: await lists.count(actors, entityList(entityId!)) };
  }
  const put = await batchPages.put(actors, batch, await pagedOf(actors, lists, entities));
  return { batch: put.batch, pages: batch.pages.length, count: entities.length, paged: put.paged };
}

/** Returns the number of transactions that each entity has in pages; undefined if no entity has any. */
async function pagedOf(
  actors: Actors,
  lists: Lists,
  entities: readonly string[],
): Promise<readonly number[] | undefined> {
  const paged = await mapInBatches(entities, BATCH_PAGE, (entityId) =>
    lists.pagedAtLeast(actors, entityList(entityId)),
  );
  return paged.some((count) => count > 0) ? paged : undefined;
}

function unsettled(
  outcome: Outcome | undefined,
  hash: Hex,
  account: Hex,
  missing: ChainMisfit | undefined,
): Refusal {
  if (outcome?.is !== 'refused') {
    const where =
      missing === undefined
        ? 'signed and on its way, but not in a block yet'
        : `signed, and waits for the contract: ${missing.message.replace(/\.$/, '')}`;
    return new Refusal(
      'gateway-timeout',
      `the transaction is ${where}; its receipt will be listed under the entity`,
      { members: { transactionHash: hash } },
    );
  }
  const why =
    outcome.reason === 'funds' ? `account ${account} is out of funds` : 'the chain refuses the transaction';
  return new Refusal('bad-gateway', `${why}: ${outcome.detail}; nothing was recorded`);
}
