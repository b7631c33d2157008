import type { ActorKind, EffectRun } from '../../actors/kind.js';
import { pages } from '../../store/paging.js';
import type { Store } from '../../store/port.js';
import { DELIVERY } from '../delivery.js';
import type { SubscriptionOwner } from '../endpoint/endpoint-kind.js';
import {
  RECEIVER,
  type ReceiverContext,
  type ReceiverEvent,
  receiverIdIn,
  receiverMachine,
  stateOf,
} from './receiver-machine.js';

/** Deliveries read at once, and most that are read of one state. */
const READ = { page: 500, most: 10_000 };

/** The kind of the receivers, each named by its id. `keepMs`: how long one without an attempt is kept. */
export function receiverKind(options: {
  readonly store: Pick<Store, 'list'>;
  readonly owner: Pick<SubscriptionOwner, 'has'>;
  readonly keepMs: number;
  /** ms since the epoch. */
  readonly now: () => number;
}): ActorKind {
  const { store, owner, keepMs, now } = options;
  return {
    name: RECEIVER,
    version: 1,
    machine: receiverMachine(keepMs),
    stateOf,
    rarelyWritten: ['url'],
    evictAfter: ['ok', 'failing'],
    deletedState: 'gone',
    effects: {
      async check(
        _entry: unknown,
        { failing, untried }: ReceiverContext,
        { address: { tenant, name }, actors }: EffectRun,
      ): Promise<ReceiverEvent> {
        const about = failing ?? untried;
        const needed =
          about === undefined ||
          (await owner.has(actors, { tenant, ...about })) ||
          (await isWaitedFor(store, tenant, name));
        return { type: 'checked', now: now(), needed };
      },
    },
  };
}

/** True if messages wait for a receiver, also those of ended subscriptions; and if too many wait for others to be sure. */
async function isWaitedFor(store: Pick<Store, 'list'>, tenant: string, id: string): Promise<boolean> {
  for (const state of ['waiting', 'sending']) {
    let read = 0;
    const ask = (after: string | undefined) =>
      store.list({ kind: DELIVERY, tenant, state, after, limit: READ.page, frequentOnly: true });
    for await (const page of pages(ask)) {
      read += page.length;
      if (read >= READ.most || page.some((one) => receiverIdIn(one) === id)) return true;
    }
  }
  return false;
}
