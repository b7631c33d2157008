import type { OverviewView } from '../../../../src/console/shapes.js';

/** A chain that is so many blocks ahead is more than one poll behind. */
const BEHIND_WARN = 5;

/**
 * Returns how many blocks of the chain the service has not read: null while the chain is down. `note` is the newest block,
 * or why there is none.
 */
export function blocksBehind(
  { head, blocksBehind: count }: NonNullable<OverviewView['ledger']>,
  dependencies: OverviewView['dependencies'],
) {
  if (head === null) return { count: null, warn: true, note: 'The chain has not answered' };
  if (dependencies.some(({ name, status }) => name === 'chain' && status === 'down')) {
    return { count: null, warn: true, note: 'The chain is down' };
  }
  return { count, warn: count === null || count > BEHIND_WARN, note: { newest: head } };
}
