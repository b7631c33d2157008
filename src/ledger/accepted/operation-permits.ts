import { pages } from '../../store/paging.js';
import type { Store } from '../../store/port.js';
import { OPERATION } from '../addresses.js';

/** Limits the accepted operations that this node records at the same time, and those that wait. */
export type OperationPermits = ReturnType<typeof createOperationPermits>;

export interface OperationPermitsOptions {
  /** Permits at the same time. */
  readonly most: number;
  /** Operations that may wait: for a permit, or for their next try. */
  readonly waiting: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** An operation whose next try is late by more than this counts as one of another node, ms. */
const LATE_MS = 60_000;

/** Makes the permits of a node. Operations get them in order of arrival. */
export function createOperationPermits({ most, waiting, now }: OperationPermitsOptions) {
  const queue = new Set<() => void>();
  /** The times of the next tries, ms since the epoch, by the names of the operations in back-off. */
  const backedOff = new Map<string, number>();
  let taken = 0;

  const release = (): void => {
    taken -= 1;
    const [next] = queue;
    if (next === undefined) return;
    queue.delete(next);
    next();
  };
  const give = (): (() => void) => {
    taken += 1;
    return release;
  };
  const isFull = (): boolean => taken + queue.size + backedOff.size >= most + waiting;

  return {
    /** True if no more can wait. */
    get full(): boolean {
      if (!isFull()) return false;
      const before = now() - LATE_MS;
      for (const [name, until] of backedOff) if (until < before) backedOff.delete(name);
      return isFull();
    },
    /** Number of operations in back-off. */
    get backedOff(): number {
      return backedOff.size;
    },
    /** Counts an operation as waiting until its next try, ms since the epoch, which acquires a permit again. */
    backOff(name: string, until: number): void {
      backedOff.set(name, until);
    },
    /** Resolves with the function that releases the permit; undefined if too many wait for one. */
    async acquire(name: string): Promise<(() => void) | undefined> {
      backedOff.delete(name);
      if (taken < most) return give();
      if (queue.size >= waiting) return undefined;
      return new Promise((resolve) => queue.add(() => resolve(give())));
    },
  };
}

/** Operations read at once. */
const PAGE = 1_000;

/**
 * Counts the pending operations of a store as waiting, each until its next try. Called before a node tries any: otherwise an
 * operation that is tried again later would count from that try on. `otherNodes`: live nodes, which try and count some of the
 * operations, so that this node counts its share.
 */
export async function countPending(
  store: Pick<Store, 'outline'>,
  permits: Pick<OperationPermits, 'backOff'>,
  { otherNodes, now }: { readonly otherNodes: number; readonly now: number },
): Promise<void> {
  let number = 0;
  const query = { kind: OPERATION, state: 'pending', limit: PAGE };
  for await (const page of pages((after) => store.outline({ ...query, after })))
    for (const { id, wakeAt = now } of page) {
      number += 1;
      // One that was due while no node ran is tried now.
      if (number % (otherNodes + 1) === 0) permits.backOff(id, Math.max(now, wakeAt));
    }
}
