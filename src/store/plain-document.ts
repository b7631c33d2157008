import { randomUUID } from 'node:crypto';
import { NO_RARE, type Store } from './port.js';

/**
 * Writes a document without a machine if the stored revision is `expected`, 0: none. `value`: what its text has; undefined:
 * it is deleted. Resolves with the new revision; undefined if another revision is stored.
 */
export async function writePlain(
  store: Pick<Store, 'commit' | 'nextRevision'>,
  { id, state, expected }: { readonly id: string; readonly state: string; readonly expected: number },
  value: object | undefined,
): Promise<number | undefined> {
  const text = { frequent: JSON.stringify(value), rare: NO_RARE };
  const next = value && { version: 1, state, wakeAt: undefined, ...text };
  const previous = expected === 0 ? undefined : { state, wakeAt: undefined };
  const revision = await store.nextRevision(expected);
  const [outcome] = await store.commit([{ id, expected, revision, commitId: randomUUID(), next, previous }]);
  if (outcome instanceof Error) throw outcome;
  return outcome === 'won' ? revision : undefined;
}
