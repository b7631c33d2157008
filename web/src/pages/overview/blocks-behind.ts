import type { OverviewView } from '../../../../src/console/shapes.js';

/** A chain that is so many blocks ahead is more than one poll behind. */
const BEHIND_WARN = 5;

/** What the figure of the blocks shows. */
export interface BlocksBehind {
  /** null: not known, because the chain does not answer. */
  readonly count: number | null;
  readonly warn: boolean;
  /** The newest block, or why there is none. */
  readonly note: { readonly newest: number } | string;
}

/** Returns how many blocks of the chain the service has not read. They are unknown while the chain is down. */
export function blocksBehind(
  { head, blocksBehind: count }: NonNullable<OverviewView['ledger']>,
  dependencies: OverviewView['dependencies'],
): BlocksBehind {
  if (head === null) return { count: null, warn: true, note: 'The chain has not answered' };
  if (dependencies.some(({ name, status }) => name === 'chain' && status === 'down')) {
    return { count: null, warn: true, note: 'The chain is down' };
  }
  return { count, warn: count === null || count > BEHIND_WARN, note: { newest: head } };
}
