import type { Chain, Hex } from '../chain/port.js';
import { timestampCall } from '../chain/timestamp-call.js';
import { Refusal } from '../errors.js';
import { StoreUnavailable } from '../store/port.js';
import { mapInBatches } from '../system/in-batches.js';
import type { BatchPages } from './index/batch-pages.js';
import type { Keys } from './idempotency/keys.js';
import { entityList } from './index/lists.js';
import type { Lists } from './index/lists.js';
import { BATCH_PAGE } from './operation.js';
import type { Operation } from './operation.js';
import type { Caller, Ledger } from './port.js';
import type { Reading } from './receipts/reading.js';
import type { Outcome, ReceiptWaiters } from './transaction/receipt-waiters.js';
import type { Signer } from './account/signer.js';
import type { ListedUnder, RecordedOperation } from './transaction/signed-operation.js';

export interface LedgerOptions {
  readonly chain: Chain;
  readonly batchPages: BatchPages;
  readonly lists: Lists;
  readonly keys: Keys;
  readonly signing: Signer;
  readonly receiptWaiters: ReceiptWaiters;
  readonly reading: Reading;
  readonly now: () => number;
  /** How long a caller waits for the receipt, ms. */
  readonly waitMs: number;
}

/** How often an operation is signed again after somebody outside has used its nonce. */
const OVERTAKEN = 3;
const UNKNOWN =
  'the database did not answer: the outcome is unknown, the operation may or may not have been recorded';

/** Makes the ledger: what the routes ask for, carried out. */
export function createLedger(options: LedgerOptions): Ledger {
  const { chain, keys, signing, receiptWaiters, reading, now, waitMs } = options;

  /** The operation's transaction: the one that its key stands for already, else a new one. */
  const transaction = async (
    operation: RecordedOperation,
    { wallet, key }: Caller,
  ): Promise<{ readonly chain: string; readonly hash: Hex; readonly old: boolean }> => {
    const { account } = operation;
    const data = timestampCall(operation.assetId, operation.hash);
    if (key === undefined) {
      const hash = await signing.sign({ wallet, data, operation, claim: undefined, since: undefined });
      return { chain: chain.name, hash, old: false };
    }
    const claimed = await keys.claim(account, key, waitMs);
    if ('hash' in claimed) return { ...claimed, old: true };
    const { claim, since } = claimed;
    try {
      const by = { key: key.name, id: claim };
      const hash = await signing.sign({ wallet, data, operation, claim: by, since });
      keys.leave(claim);
      return { chain: chain.name, hash, old: false };
    } catch (error) {
      // Where the store did not answer it may be signed: the next one with this key finds out.
      if (error instanceof StoreUnavailable) keys.leave(claim);
      else await keys.release(account, key.name, claim);
      throw error;
    }
  };

  const attempt = async (
    operation: RecordedOperation,
    by: Caller,
    tries: number,
  ): Promise<Iterable<string>> => {
    const startedAt = now();
    const sent = await transaction(operation, by);
    const { hash } = sent;
    const outcome = await receiptWaiters.wait(sent, Math.max(0, waitMs - (now() - startedAt)));
    if (outcome?.is === 'refused' && outcome.reason === 'nonce-used' && tries > 0) {
      signing.overtaken(operation.account);
      return attempt(operation, by, tries - 1);
    }
    if (outcome?.is === 'recorded') {
      const receipt = await reading.receipt(sent, outcome.transaction);
      if (receipt !== undefined) return receipt;
    }
    throw unsettled(outcome, hash, operation.account);
  };

  return {
    async record(operation, by) {
      const account = await by.wallet.account();
      try {
        await signing.ready();
        return await attempt(await recordedOperation(options, operation, account), by, OVERTAKEN);
      } catch (error) {
        // Queries record too: what is true of other GETs, that nothing was done, is not of theirs.
        throw error instanceof StoreUnavailable
          ? new Refusal('unavailable', UNKNOWN, { cause: error })
          : error;
      }
    },
    entities: (page, tenant) => reading.entities(page, tenant),
    transactions: (entityId, page, tenant) => reading.transactions(entityId, page, tenant),
  };
}

async function recordedOperation(
  options: LedgerOptions,
  operation: Operation,
  account: Hex,
): Promise<RecordedOperation> {
  const { name, assetId, hash, tenant, tenantName, link, query } = operation;
  const listed = await listedUnder(options, operation);
  return { name, assetId, hash, tenant, tenantName, link, query, account, listed };
}

async function listedUnder(
  { batchPages, lists }: LedgerOptions,
  { entities, batch }: Operation,
): Promise<ListedUnder> {
  if (batch === undefined) {
    const [entityId] = entities;
    return { entityId: entityId!, from: await lists.count(entityList(entityId!)) };
  }
  const put = await batchPages.put(batch, await pagedOf(lists, entities));
  return { batch: put.batch, pages: batch.pages.length, count: entities.length, paged: put.paged };
}

/** How many transactions of each entity lie in pages; undefined where none of them has any. */
async function pagedOf(lists: Lists, entities: readonly string[]): Promise<readonly number[] | undefined> {
  const paged = await mapInBatches(entities, BATCH_PAGE, (entityId) =>
    lists.pagedAtLeast(entityList(entityId)),
  );
  return paged.some((count) => count > 0) ? paged : undefined;
}

function unsettled(outcome: Outcome | undefined, hash: Hex, account: Hex): Refusal {
  if (outcome?.is !== 'refused') {
    return new Refusal(
      'gateway-timeout',
      'the transaction is signed and on its way, but not in a block yet; its receipt will be listed under the entity',
      { members: { transactionHash: hash } },
    );
  }
  const why =
    outcome.reason === 'funds' ? `account ${account} is out of funds` : 'the chain refuses the transaction';
  return new Refusal('bad-gateway', `${why}: ${outcome.detail}; nothing was recorded`);
}
