import type { TransactionState } from '../../../../src/ledger/shapes.js';
import { StateBadge, type Tone } from '../../ui/badge.js';

const SHOWN: Readonly<Record<TransactionState, { readonly tone: Tone; readonly text: string }>> = {
  sending: { tone: 'warn', text: 'on its way' },
  recorded: { tone: 'good', text: 'recorded' },
  failed: { tone: 'bad', text: 'failed' },
  refused: { tone: 'bad', text: 'refused' },
};

/** The state of a transaction. */
export function TransactionBadge({ state }: { readonly state: TransactionState }) {
  return <StateBadge state={state} {...SHOWN[state]} />;
}
