import type { ActorFault, Actors, CommitChange } from '../actors/runtime.js';
import { ledgerMetrics } from '../operator/metrics/ledger.js';
import { diskMetrics, refusalMetrics } from '../operator/metrics/metrics.js';
import { readGauge } from '../operator/metrics/read.js';
import { storeMetrics } from '../operator/metrics/store.js';
import type { Store } from '../store/port.js';
import type { LedgerHalf } from './ledger.js';
import type { SharedParts } from './shared-parts.js';

/** Adds the metrics that are read from the parts of the service on each scrape. */
export function addMetrics(
  { config, metrics, activity, events, refusals, now }: SharedParts,
  {
    actors,
    store,
    ledger,
  }: {
    readonly actors: Actors;
    readonly store: Store;
    readonly ledger: LedgerHalf | undefined;
  },
): void {
  metrics.actors.observe(actors);
  metrics.rules.observe(activity.totals);
  metrics.add((registry) => {
    storeMetrics(registry, { store, hasLedger: ledger !== undefined, now });
    diskMetrics(registry, config.store.dataDir);
    readGauge(
      registry,
      { name: 'mirzam_event_readers', help: 'Readers of the stream of live events' },
      () => events.readers,
    );
    refusalMetrics(registry, () => refusals.totals());
    if (ledger === undefined) return;
    const { pendingNonces, chainProgress } = ledger;
    ledgerMetrics(registry, {
      pendingNonces,
      chainProgress,
      receipts: () => activity.totals().receipts,
      now,
    });
  });
}

/** Returns the hooks by which the service learns what the runtime does. */
export function runtimeHooks({ activity, metrics, log }: SharedParts) {
  return {
    onFault(fault: ActorFault): void {
      metrics.actors.fault(fault);
      activity.onFault(fault);
      const { error, ...where } = fault;
      log.error({ ...where, err: error }, 'a fault that no caller sees');
    },
    onCommit(change: CommitChange): void {
      activity.onCommit(change);
      metrics.deliveries.committed(change);
    },
    onStoreCall: metrics.actors.storeCall,
  };
}
