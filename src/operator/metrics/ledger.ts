import type { Registry } from 'prom-client';
import type { ChainProgress } from '../../chain/port.js';
import type { NodeView } from '../../ledger/account/pending-nonces.js';
import { readOnScrape } from './read.js';

/** The ledger, as its metrics read it. */
export interface LedgerFigures {
  /** Returns what this node knows of pending nonces. */
  readonly pendingNonces: () => Pick<NodeView, 'carried' | 'confirmations'>;
  /** Returns how far this node has followed the chain; undefined before the chain is found. */
  readonly chainProgress: () => ChainProgress | undefined;
  /** Returns the transactions that got their receipt by a commit of this node. */
  readonly receipts: () => number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Adds the metrics of the ledger and its chain. All are read on each scrape. */
export function ledgerMetrics(registry: Registry, ledger: LedgerFigures): void {
  const { gauge, counter } = readOnScrape(registry);
  const carried = (): NodeView['carried'] => ledger.pendingNonces().carried;
  const chain = ledger.chainProgress;

  counter('mirzam_receipts_total', 'Transactions that got their receipt', ledger.receipts);
  gauge(
    'mirzam_open_nonces',
    'Transactions that this node sends and that do not have their confirmations',
    () => carried().length,
  );
  gauge(
    'mirzam_open_nonce_age_seconds',
    'Time since this node began to send the oldest open transaction',
    () => ageOf(carried(), ledger.now()),
  );
  gauge(
    'mirzam_ledger_confirmations',
    'Blocks that a transaction must lie under, its own counted',
    () => ledger.pendingNonces().confirmations,
  );
  gauge('mirzam_chain_head_block', 'Number of the newest block that was read', () => chain()?.head);
  gauge(
    'mirzam_chain_blocks_behind',
    'Blocks that the chain’s node has and that are not read yet',
    () => chain()?.behind,
  );
  gauge('mirzam_chain_head_timestamp_seconds', 'When the newest block was read first', () =>
    seconds(chain()?.headAt),
  );
  gauge(
    'mirzam_chain_answer_timestamp_seconds',
    'When the chain’s node answered last about its newest block',
    () => seconds(chain()?.answeredAt),
  );
  counter(
    'mirzam_chain_reorganisations_total',
    'How often known blocks left the chain',
    () => chain()?.reorganisations ?? 0,
  );
}

/** Returns the age of the oldest open transaction, s; 0 without one. */
function ageOf(open: NodeView['carried'], now: number): number {
  return open.reduce((age, { since }) => Math.max(age, (now - since) / 1000), 0);
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
