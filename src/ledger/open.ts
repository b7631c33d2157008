import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { ActorKind } from '../actors/kind.js';
import type { Actors } from '../actors/runtime.js';
import type { LateChain } from '../chain/late-chain.js';
import type { Deliveries } from '../delivery/deliveries.js';
import type { Store } from '../store/port.js';
import { createBatchPages } from './index/batch-pages.js';
import { createIndexer } from './index/indexer.js';
import { createKeys } from './idempotency/keys.js';
import { ledgerKinds } from './kinds.js';
import { createLedger } from './ledger.js';
import { createLists } from './index/lists.js';
import { createReceiptMirror } from './receipts/receipt-mirror.js';
import type { Ledger } from './port.js';
import { createReceiptReader, storedProofs } from './receipts/receipt-reader.js';
import { startReorgSweep } from './blocks/reorg-sweep.js';
import type { ReorgSweep } from './blocks/reorg-sweep.js';
import { createReceiptWaiters } from './transaction/receipt-waiters.js';
import { createSigner } from './account/signer.js';
import type { StoredProof } from './verify/verify.js';
import { createBlockWatch } from './blocks/block-watch.js';

export interface OpenLedgerOptions {
  /** The runtime, which is started with the ledger's kinds and therefore comes later. */
  readonly actors: () => Actors;
  readonly store: Store;
  readonly deliveries: Deliveries;
  readonly chain: LateChain;
  readonly settings: {
    readonly confirmations: number;
    readonly finality: number;
    /** How long an Idempotency-Key is kept, ms. */
    readonly keyTtlMs: number;
    readonly mirrorUrl: string | undefined;
    /** Time after which a transaction that is in no block, while blocks come, is signed again, ms; undefined: never. */
    readonly gasBumpAfterMs?: number | undefined;
    /** Highest price of a transaction that is signed again, wei; undefined: ten times its first price. */
    readonly gasPriceMax?: bigint | undefined;
    /** How long a block must have been watched before it is final, ms; default 3,000. */
    readonly finalMs?: number | undefined;
  };
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  /** Told of a transaction that was on the chain or on its way there, and that the node refuses now: it is tried on. */
  readonly onHeld: (hash: string, detail: string) => void;
}

export interface OpenLedger {
  readonly ledger: Ledger;
  readonly storedProof: StoredProof;
  readonly kinds: readonly ActorKind[];
  /** Has what was recorded looked up again wherever blocks of the chain may have gone; once the actors are there. */
  start(): void;
  close(): Promise<void>;
}

const FINAL_MS = 3_000;
/** How long a refused transaction can be looked at, ms. */
const REFUSED_KEPT_MS = 24 * 60 * 60 * 1000;

/** Wires the parts of the ledger. */
export function openLedger({
  actors,
  store,
  deliveries,
  chain,
  settings,
  now,
  onError,
  onHeld,
}: OpenLedgerOptions): OpenLedger {
  const { mirrorUrl, finalMs = FINAL_MS, ...rest } = settings;
  const stop = new AbortController();
  // One listener for every transaction that waits for its block.
  setMaxListeners(0, stop.signal);
  const lists = createLists(store);
  const batchPages = createBatchPages({ store, now });
  const indexer = createIndexer({ batchPages, lists, now });
  const receiptWaiters = createReceiptWaiters(actors);
  const receipts = createReceiptReader({ actors, store, lists, batchPages });
  let reorgSweep: ReorgSweep | undefined;
  const blockWatch = createBlockWatch(actors, now);
  const onBehind: ReorgSweep['behind'] = (account, used, missing) =>
    reorgSweep?.behind(account, used, missing);
  const signing = createSigner({ actors, chain, now, onBehind });
  const keys = createKeys({ actors, chain, shared: store.shared, now, newId: randomUUID });
  const mirror = createReceiptMirror({ deliveries, batchPages, url: mirrorUrl, now });

  return {
    ledger: createLedger({ actors, chain, batchPages, lists, keys, signing, receiptWaiters, receipts, now }),
    storedProof: storedProofs(store, batchPages, chain),
    kinds: ledgerKinds({
      actors,
      chain,
      batchPages,
      indexer,
      receiptWaiters,
      blockWatch,
      mirror,
      settings: { ...rest, finalMs, keepMs: REFUSED_KEPT_MS },
      now,
      onHeld,
      onBehind,
      stopped: stop.signal,
    }),
    start() {
      chain.onFound(() => {
        chain.onReorganisation(() => blockWatch.reorganised());
        if (!stop.signal.aborted)
          reorgSweep = startReorgSweep({ actors: actors(), chain, store, now, onError });
      });
    },
    async close() {
      stop.abort(new Error('the service is stopping'));
      await reorgSweep?.close();
    },
  };
}
