import type { OutboxEntry } from '../actors/kind.js';
import type { CommitChange } from '../actors/runtime.js';
import { TRANSACTION } from '../ledger/addresses.js';
import type { TransactionContext } from '../ledger/transaction/transaction-machine.js';
import type { DeliverEffect, ServerContext } from '../policy/server/server-context.js';
import { SERVER } from '../policy/server/server-kind.js';

/** What the commits of this node did since its start. The numbers never fall. */
export interface Totals {
  /** Accepted measurements. */
  readonly facts: number;
  /** Firings with a message. */
  readonly firings: number;
  /** Transactions of the ledger that got their receipt. One whose block leaves the chain is not counted again. */
  readonly receipts: number;
  /** Changes of the state of subscriptions. */
  readonly transitions: number;
}

/** Observes the commits of this node. */
export interface Activity {
  /** The runtime's hook. A commit that adds no effect costs one comparison. */
  readonly onCommit: (change: CommitChange) => void;
  readonly totals: () => Totals;
}

/** An entry that passes transitions to the history of a server. */
interface RecordEntry extends OutboxEntry {
  readonly type: 'record';
  readonly transitions: readonly unknown[];
}

type ServerEntry = DeliverEffect | RecordEntry;

/** The state of a transaction with a receipt. */
const RECORDED = 'recorded';

/** Creates the observer of a node. */
export function createActivity(): Activity {
  const totals = { facts: 0, firings: 0, receipts: 0, transitions: 0 };

  const server = ({ before, after }: CommitChange): void => {
    const from = before?.context as ServerContext | undefined;
    const to = after.context as ServerContext;
    totals.facts += to.factId - (from?.factId ?? 0);
    if (from?.outbox === to.outbox) return;
    for (const entry of added(from?.outbox, to.outbox)) {
      if (entry.type === 'record') totals.transitions += entry.transitions.length;
      else if (entry.type === 'deliver' && entry.message.channel === 'webhook') totals.firings += 1;
    }
  };

  const transaction = ({ before, after }: CommitChange): void => {
    if (after.state !== RECORDED || before?.state === RECORDED) return;
    // Only a transaction that had a receipt was ever checked.
    const { checks = 0 } = (before?.context as TransactionContext | undefined) ?? {};
    if (checks === 0) totals.receipts += 1;
  };

  return {
    onCommit(change) {
      const { kind } = change.address;
      if (kind === SERVER) server(change);
      else if (kind === TRANSACTION) transaction(change);
    },
    totals: () => ({ ...totals }),
  };
}

/** Returns the entries whose ids were not in the outbox before. */
function added(before: readonly OutboxEntry[] = [], after: readonly OutboxEntry[]): readonly ServerEntry[] {
  const known = new Set(before.map(({ id }) => id));
  const fresh = known.size === 0 ? after : after.filter(({ id }) => !known.has(id));
  return fresh as readonly ServerEntry[];
}
