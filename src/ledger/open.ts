import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { ActorKind, Actors } from '../actors/kind.js';
import { readableKinds, readableOnly } from '../actors/reading.js';
import type { LateChain } from '../chain/late-chain.js';
import type { Deliveries } from '../delivery/deliveries.js';
import type { Store } from '../store/port.js';
import { createBatchPages } from './index/batch-pages.js';
import { createIndexer } from './index/indexer.js';
import { createKeys } from './idempotency/keys.js';
import { createRecorder } from './record.js';
import { createLists } from './index/lists.js';
import { createReceiptMirror } from './receipts/receipt-mirror.js';
import type { Ledger } from './port.js';
import { createReceiptReader, storedProofs } from './receipts/receipt-reader.js';
import { createAcceptedList } from './browse/accepted-list.js';
import { createBrowse } from './browse/browse.js';
import { createReceiptDetails } from './browse/receipt-detail.js';
import { finalProofs, type FinalProofsOptions } from './proofs/final-proofs.js';
import { ownEventLoop } from './proofs/event-loop.js';
import { createOwnTransactions } from './proofs/own-transactions.js';
import { createProofKeeper } from './proofs/proof-keeper.js';
import { createProofReader, type ProofRequest } from './proofs/proof-reader.js';
import { blockProofView } from './browse/block-proof.js';
import type { BlockProofView } from './shapes.js';
import { blockKind, createBlockWatch } from './blocks/block-kind.js';
import { handleReorganisations, type Reorganisations } from './blocks/reorganisations.js';
import { acceptedKind } from './accepted/accepted-kind.js';
import { createAcceptedOperations } from './accepted/accepted-operations.js';
import { countPending, createOperationPermits } from './accepted/operation-permits.js';
import { accountKind } from './account/account-kind.js';
import { keyKind } from './idempotency/key-kind.js';
import { entityKind } from './index/entity-machine.js';
import { pageKind } from './index/page-machine.js';
import { entityIndexKind } from './index/entity-index.js';
import { createBroadcast } from './transaction/broadcast.js';
import { createReplace } from './transaction/replacement.js';
import { createSubmissions } from './transaction/submissions.js';
import { createPipeline } from './transaction/pipeline.js';
import { transactionKind } from './transaction/transaction-kind.js';
import type { MinedTransaction } from './signed-transaction.js';
import { createSigner } from './account/signer.js';
import { NO_TRACING, type Tracing } from '../tracing/port.js';
import type { Wallet } from '../wallets/port.js';

export interface OpenLedgerOptions {
  readonly store: Store;
  readonly deliveries: Deliveries;
  readonly chain: LateChain;
  /** The wallet for callers who name none; undefined if they are refused. */
  readonly defaultWallet?: Wallet | undefined;
  readonly settings: {
    readonly confirmations: number;
    readonly finality: number;
    /** Address of a transaction in a block explorer, with `{hash}`. */
    readonly explorerUrl?: string | undefined;
    /** How long an Idempotency-Key is kept, and an accepted operation after its end, ms. */
    readonly keyTtlMs: number;
    /** Accepted operations that a node records at the same time, and those that wait; default 1,000 and 10,000. */
    readonly accepted?: { readonly most: number; readonly waiting: number } | undefined;
    /** How long one try to record an accepted operation may take, ms; default 30,000. */
    readonly waitMs?: number | undefined;
    readonly mirrorUrl: string | undefined;
    /** Time after which a transaction that is in no block, while blocks come, is signed again, ms; undefined: never. */
    readonly replaceAfterMs?: number | undefined;
    /** Highest price of a transaction that is signed again, wei; undefined: ten times its first price. */
    readonly gasPriceMax?: bigint | undefined;
    /** When proofs are made (LEDGER_PROOFS); default: when asked for. */
    readonly proofs?: 'demand' | 'always' | undefined;
    /** Least time for which a block is watched before it is final, ms; default 3,000. */
    readonly finalMs?: number | undefined;
  };
  readonly now: () => number;
  /** Default: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly onError: (error: unknown) => void;
  /** Called when the node refuses a transaction that another node may have: it is sent again. */
  readonly onHeld: (hash: string, detail: string) => void;
  /** Called for a final block that no proof can be made of (LEDGER_PROOFS=always). */
  readonly onUnproven?: FinalProofsOptions['onUnproven'] | undefined;
}

export type OpenLedger = ReturnType<typeof openLedger>;

/** Reads the ledger for people. */
export type LedgerBrowse = ReturnType<OpenLedger['browse']>;

const FINAL_MS = 3_000;
const WAIT_MS = 30_000;
const ACCEPTED = { most: 1_000, waiting: 10_000 };
/** Time for which operators can see a refused transaction, ms. */
const REFUSED_KEPT_MS = 24 * 60 * 60 * 1000;

/** Wires the parts of the ledger. */
export function openLedger({
  store,
  deliveries,
  chain,
  settings,
  now,
  onError,
  onHeld,
  onUnproven = () => undefined,
  defaultWallet,
  tracing = NO_TRACING,
}: OpenLedgerOptions) {
  const { mirrorUrl, finalMs = FINAL_MS, confirmations, finality, replaceAfterMs, gasPriceMax } = settings;
  const { keyTtlMs, waitMs = WAIT_MS, accepted = ACCEPTED } = settings;
  const stop = new AbortController();
  // Each transaction that waits listens.
  setMaxListeners(0, stop.signal);
  const lists = createLists(store);
  const batchPages = createBatchPages(store, now);
  const indexer = createIndexer(batchPages, lists, now);
  const blockWatch = createBlockWatch(now);
  let reorganisations: Reorganisations | undefined;
  const onNonceGap: Reorganisations['onNonceGap'] = (account, gap) =>
    reorganisations?.onNonceGap(account, gap);

  const submissions = createSubmissions(store.shared);
  /** The parts that most others use. */
  const parts = { chain, submissions, blockWatch, batchPages, now, tracing };
  const manner = { confirmations, replaceAfterMs, onHeld, onNonceGap, stopped: stop.signal };
  const broadcast = createBroadcast({ ...parts, ...manner });
  const mirror = createReceiptMirror(deliveries, batchPages, mirrorUrl, now);
  const replace = createReplace({ ...parts, defaultWallet, gasPriceMax });
  const own = settings.proofs === 'always' ? createOwnTransactions() : undefined;
  const keeper = createProofKeeper({ store, chain, now });
  const prove = own && finalProofs({ keeper, own, loop: ownEventLoop(stop.signal), onUnproven });
  const onMined = own && ((transaction: MinedTransaction) => own.remember(transaction));
  const pipeline = createPipeline({ ...parts, broadcast, indexer, mirror, replace, onMined });

  const permits = createOperationPermits({ ...accepted, now });

  const kinds: readonly ActorKind[] = [
    entityKind(now),
    entityIndexKind(now),
    pageKind,
    keyKind(chain, keyTtlMs, now),
    accountKind({ ...parts, pipeline }),
    transactionKind({ ...parts, pipeline, settings: { keepMs: REFUSED_KEPT_MS } }),
    blockKind({ ...parts, prove, settings: { finalMs, finality } }),
    acceptedKind({
      batchPages,
      recorderOf: (actors) => recordingOn(actors).recorder,
      wallet: defaultWallet,
      permits,
      settings: { tryMs: waitMs, refusedMs: keyTtlMs, keepMs: keyTtlMs },
      clock: { now, random: Math.random },
      stopped: stop.signal,
    }),
  ];
  const readable = readableOnly(store, readableKinds(kinds));
  const proofReader = (actors: Actors) =>
    createProofReader({ ...parts, actors, store: readable, lists, keeper, finality });

  /** Callers and accepted operations share one recorder: it knows which claims of keys this node holds. */
  let recording: ReturnType<typeof openRecording> | undefined;
  function recordingOn(actors: Actors) {
    return (recording ??= openRecording(actors));
  }
  function openRecording(actors: Actors) {
    const receipts = createReceiptReader({ ...parts, actors, store: readable, lists });
    const signer = createSigner({ ...parts, actors, onNonceGap });
    const keys = createKeys({ ...parts, actors, shared: store.shared, newId: randomUUID });
    return { receipts, recorder: createRecorder({ ...parts, actors, lists, keys, signer, receipts }) };
  }

  return {
    /** Returns the ledger that the routes call, on a runtime that has its kinds. */
    ledger(actors: Actors): Ledger {
      const shared = recordingOn(actors);
      const { receipts, recorder } = shared;
      const options = { ...shared, actors, store: readable, permits, now };
      return { ...receipts, ...createAcceptedOperations(options), record: recorder.record };
    },
    /** Returns the reader for people, newest first. */
    browse(actors: Actors) {
      const { explorerUrl } = settings;
      const shown = { confirmations, finality };
      const options = { ...parts, actors, store: readable, lists, settings: shown, explorerUrl };
      const proof = proofReader(actors);
      return {
        ...createBrowse(options),
        ...createReceiptDetails(options),
        operations: createAcceptedList(readable),
        blockProof: async (request: ProofRequest): Promise<BlockProofView> =>
          blockProofView(request.transactionHash, await proof(request)),
      };
    },
    /** Returns the function that gives proof files. */
    proofs: proofReader,
    storedProofs: storedProofs(readable, batchPages, chain),
    /** Returns the pending nonces of the accounts whose transactions this node carries. */
    pendingNonces: () => broadcast.pendingNonces(),
    kinds,
    /**
     * Counts the accepted operations that wait. Called before the actors start. `otherNodes`: live ones that share the store.
     */
    countPending: (otherNodes: number) => countPending(readable, permits, { otherNodes, now: now() }),
    /** Starts the handling of reorganisations. */
    start(actors: Actors): void {
      chain.onFound(() => {
        if (stop.signal.aborted) return;
        const onBlocksGone = (): void => {
          submissions.doubtReceipts();
          broadcast.resend();
        };
        reorganisations = handleReorganisations({ ...parts, actors, store: readable, onError, onBlocksGone });
      });
    },
    async close(): Promise<void> {
      stop.abort(new Error('the service is stopping'));
      submissions.close();
      await Promise.all([reorganisations?.close(), keeper.close()]);
    },
  };
}
