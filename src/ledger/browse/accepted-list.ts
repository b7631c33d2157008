import { contextIn } from '../../actors/behavior.js';
import { addressOf, actorId, type Ordered, type Store } from '../../store/port.js';
import { Refusal } from '../../errors.js';
import type { AcceptedContext } from '../accepted/accepted-machine.js';
import { addressOfOperation, OPERATION, operationId } from '../addresses.js';
import type { AcceptedRowView, AcceptedView } from '../shapes.js';
import { isoOf } from '../../system/iso.js';

/** Which accepted operations to list. `before`: `next` of the page before. */
export interface AcceptedRange {
  readonly before: string | undefined;
  readonly limit: number;
}

/** Sorts after every order, since orders are digits. */
const AFTER_DIGITS = ':';

/**
 * Makes the reader of accepted operations that are not recorded. `tenant`: only those of it; undefined: all. It throws
 * `Refusal('bad-request')` for a `before` that is no `next`.
 */
export function createAcceptedList(store: Pick<Store, 'ordered' | 'tally'>) {
  return async ({ before, limit }: AcceptedRange, tenant: string | undefined): Promise<AcceptedView> => {
    const [{ items, more }, tallies] = await Promise.all([
      store.ordered({ kind: OPERATION, tenant, from: '', to: AFTER_DIGITS, after: placeIn(before), limit }),
      store.tally({ kind: OPERATION, tenant }),
    ]);
    const countOf = (state: string): number => tallies.find(({ tag }) => tag === state)?.count ?? 0;
    const last = more ? items.at(-1) : undefined;
    return {
      pending: countOf('pending'),
      failed: countOf('failed'),
      operations: items.map(rowOf),
      next: last === undefined ? null : `${last.order}-${operationId(addressOf(last.id))}`,
    };
  };
}

/** Returns the place that a page begins after. */
function placeIn(before: string | undefined): Pick<Ordered, 'order' | 'id'> | undefined {
  if (before === undefined) return undefined;
  const [, order, id = ''] = /^(\d{1,16})-(.+)$/.exec(before) ?? [];
  const address = addressOfOperation(id);
  if (order !== undefined && address !== undefined) return { order, id: actorId(address) };
  throw new Refusal('bad-request', 'before: must be the `next` of a page');
}

function rowOf(listed: Ordered): AcceptedRowView {
  const context = contextIn(listed) as AcceptedContext;
  const { operation, notification, entities, since, tries, detail, failed } = context;
  const { id: notificationId, subscriptionId } = notification!;
  return {
    operation: operationId(addressOf(listed.id)),
    state: failed ? 'failed' : 'pending',
    notificationId,
    subscriptionId,
    entities,
    tenant: operation!.tenantName ?? operation!.tenant ?? null,
    since: isoOf(since),
    tries,
    detail: detail ?? null,
  };
}
