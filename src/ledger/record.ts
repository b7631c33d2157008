import type { Actors } from '../actors/kind.js';
import type { Chain, ChainMisfit, Hex } from '../chain/port.js';
import { timestampCall } from '../chain/timestamp-call.js';
import { Refusal } from '../errors.js';
import { StoreUnavailable } from '../store/port.js';
import { mapInBatches } from '../system/in-batches.js';
import type { BatchPages } from './index/batch-pages.js';
import { inTime } from '../system/in-time.js';
import type { Keys } from './idempotency/keys.js';
import { entityList, type Lists } from './index/lists.js';
import { BATCH_PAGE, type Operation } from './operation.js';
import type { Caller } from './port.js';
import type { ReceiptReader } from './receipts/receipt-reader.js';
import type { Submissions } from './transaction/submissions.js';
import { SIGNING_GRACE_MS } from './account/signing-queue.js';
import type { SigningRequest } from './account/signing-account.js';
import type { Signer } from './account/signer.js';
import { type Tracing, traced } from '../tracing/port.js';
import type {
  ChainRefusal,
  ListedUnder,
  Outcome,
  StoredOperation,
  TransactionId,
} from './signed-transaction.js';

export interface RecordOptions {
  readonly actors: Actors;
  readonly chain: Chain;
  readonly batchPages: BatchPages;
  readonly lists: Lists;
  readonly keys: Keys;
  readonly signer: Signer;
  readonly submissions: Pick<Submissions, 'waitFor'>;
  readonly receipts: Pick<ReceiptReader, 'receipt'>;
  readonly now: () => number;
  readonly tracing: Tracing;
}

const NOT_IN_TIME = 'in the time that LEDGER_WAIT_S allows; nothing was done';
/** How often an operation is signed again after a transaction from outside has used its nonce. */
const SIGNED_AGAIN = 3;
const NO_ANSWER = 'the node of the chain did not answer';
const UNKNOWN =
  'the database did not answer: the outcome is unknown, the operation may or may not have been recorded';

/** Records operations: for callers who wait for the receipt, and for accepted operations. */
export type Recorder = ReturnType<typeof createRecorder>;

/** Makes the recorder of a node. */
export function createRecorder(options: RecordOptions) {
  const { actors, chain, batchPages, lists, keys, signer, submissions, receipts, now, tracing } = options;

  const listedUnder = async ({ entities, batch }: Operation): Promise<ListedUnder> => {
    if (batch === undefined) {
      const [entityId] = entities;
      return { entityId: entityId!, from: await lists.count(actors, entityList(entityId!)) };
    }
    /** The number of transactions that each entity has in pages. */
    const paged = await mapInBatches(entities, BATCH_PAGE, (entityId) =>
      lists.pagedAtLeast(actors, entityList(entityId)),
    );
    const known = paged.some((count) => count > 0) ? paged : undefined;
    const put = await batchPages.put(actors, batch, known);
    return { batch: put.batch, pages: batch.pages.length, count: entities.length, paged: put.paged };
  };

  /** Returns the operation as its transaction stores it. The entries of a batch are stored for a while. */
  const stored = async (
    operation: Operation,
    account: Hex,
    trace: string | undefined,
  ): Promise<StoredOperation> => {
    const { name, assetId, hash, tenant, tenantName, link, query } = operation;
    const listed = await listedUnder(operation);
    return { name, assetId, hash, tenant, tenantName, link, query, account, listed, trace };
  };

  /** Waits for `work` until the deadline, then refuses: `late` says what did not come. */
  const until = <T>(deadline: number, work: Promise<T>, late: () => string): Promise<T> =>
    inTime(work, deadline - now(), () => new Refusal('unavailable', `${late()} ${NOT_IN_TIME}`));

  /** Prepares the operation for its signature. Nothing of it is recorded yet. */
  const prepare = async (
    operation: Operation,
    { wallet, deadline, trace }: Caller,
  ): Promise<StoredOperation> => {
    let late = 'the wallet did not answer';
    const work = async (): Promise<StoredOperation> => {
      const account = await wallet.account();
      late = NO_ANSWER;
      await signer.ready();
      late = 'the operation was not ready to be signed';
      return stored(operation, account, trace);
    };
    return until(deadline, work(), () => late);
  };

  /**
   * Returns the transaction that the Idempotency-Key has already, else has the operation signed. `old`: an earlier request
   * had it signed.
   */
  const signedFor = async (
    operation: StoredOperation,
    { wallet, key, deadline }: Caller,
  ): Promise<TransactionId & { readonly old: boolean }> => {
    const data = timestampCall(operation.assetId, operation.hash);
    // A literal with all members: members that follow a spread would give each request a hidden class of its own.
    const sign = (claim: SigningRequest['claim'], since: string | undefined) =>
      signer.sign({ wallet, data, operation, deadline, claim, since });
    if (key === undefined) {
      const hash = await sign(undefined, undefined);
      return { chain: chain.name, hash, old: false };
    }
    const { account } = operation;
    const claimed = await keys.claim(account, key, deadline);
    if ('hash' in claimed) return { ...claimed, old: true };
    const { claim: id, since } = claimed;
    try {
      const hash = await sign({ key: key.name, id }, since);
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

  /** Has the operation signed, and waits for its outcome until the deadline. */
  const signAndWait = async (
    operation: StoredOperation,
    caller: Caller,
    tries = SIGNED_AGAIN,
  ): Promise<Attempted> => {
    const { wallet, deadline, trace } = caller;
    const { old, ...transaction } = await traced(tracing.start('ledger sign', 'internal', trace), () =>
      signedFor(operation, caller),
    );
    // A transaction that was still being signed at the deadline is waited for a little longer.
    const end = old || now() <= deadline ? deadline : deadline + SIGNING_GRACE_MS;
    const outcome = await traced(tracing.start('ledger receipt', 'internal', trace), () =>
      submissions.waitFor(actors, transaction, { ms: Math.max(0, end - now()), old, wallet }),
    );
    if (outcome?.is === 'refused' && outcome.reason === 'nonce-used' && tries > 0) {
      signer.overtaken(operation.account);
      return signAndWait(operation, caller, tries - 1);
    }
    return { transaction, outcome };
  };

  return {
    /** See `Ledger`. */
    record: async (operation: Operation, caller: Caller): Promise<Iterable<string>> => {
      try {
        const prepared = await prepare(operation, caller);
        const { transaction, outcome } = await signAndWait(prepared, caller);
        if (outcome?.is === 'mined') return await receipts.receipt(outcome.transaction);
        throw unsettled(outcome, transaction.hash, prepared.account, chain.contractMissing());
      } catch (error) {
        // L2 and L4 are GETs that record: the answer to other GETs, that nothing was done, would be wrong for them.
        throw error instanceof StoreUnavailable
          ? new Refusal('unavailable', UNKNOWN, { cause: error })
          : error;
      }
    },
    stored,
    /** Tries to record a stored operation until the deadline. Throws as `record`, and what the chain and the store throw. */
    async attempt(operation: StoredOperation, caller: Caller): Promise<Attempted> {
      await until(caller.deadline, signer.ready(), () => NO_ANSWER);
      return signAndWait(operation, caller);
    },
    /** See `Keys.unneeded`. */
    unneeded: (account: Hex, key: string) => keys.unneeded(account, key),
  };
}

/** What an attempt to record an operation came to. */
export interface Attempted {
  /** The transaction that was signed for it. */
  readonly transaction: TransactionId;
  /** undefined while the transaction is in no block. */
  readonly outcome: Outcome | undefined;
}

/** Returns why a signed operation is not recorded. */
export function unsettled(
  refusal: ChainRefusal | undefined,
  hash: Hex,
  account: Hex,
  missing: ChainMisfit | undefined,
): Refusal {
  if (refusal === undefined) {
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
    refusal.reason === 'funds' ? `account ${account} is out of funds` : 'the chain refuses the transaction';
  return new Refusal('bad-gateway', `${why}: ${refusal.detail}; nothing was recorded`);
}
