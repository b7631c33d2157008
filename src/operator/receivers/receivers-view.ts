import { contextIn } from '../../actors/behavior.js';
import {
  lastMinutes,
  RECEIVER,
  RECEIVER_ID,
  receiverAddress,
  type ReceiverContext,
} from '../../delivery/receiver/receiver-machine.js';
import type { ReceiverWatch } from '../../delivery/receiver/receiver-watch.js';
import { pages } from '../../store/paging.js';
import { actorId, addressOf, type Listed, type Store } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import { findAddress } from '../find-address.js';
import type { ReceiverState, ReceiverView } from '../shapes.js';
import type { CountReceivers, CountsByReceiver } from './receiver-counts.js';
import { isoOf } from '../../system/iso.js';

/** The receivers that a list has. */
export interface ReceiverFilter {
  readonly state: ReceiverState | undefined;
  /** undefined: of all tenants. */
  readonly tenant: string | undefined;
  /** The last receiver of the page before. */
  readonly after: ReceiverCursor | undefined;
  readonly limit: number;
}

/** A receiver after which the list goes on. One that works needs its place alone, others what they are sorted by. */
export type ReceiverCursor = Pick<ReceiverView, 'tenantId' | 'id' | 'state' | 'since'>;

/** A page of receivers. `next`: its last one; undefined: there is no further page. */
export interface ReceiversPage {
  readonly receivers: readonly ReceiverView[];
  readonly next: ReceiverCursor | undefined;
}

/** Reads the receivers of webhooks. */
export type Receivers = ReturnType<typeof createReceivers>;

export const RECEIVER_STATES: readonly ReceiverState[] = ['suspended', 'failing', 'ok'];
/** Documents that are read at a time, and those that are loaded at once. */
const READ = 500;
const AT_ONCE = 64;

/** Creates the reader of receivers. `now` is in ms since the epoch. */
export function createReceivers(options: {
  readonly store: Pick<Store, 'list' | 'load' | 'outline'>;
  readonly watch: Pick<ReceiverWatch, 'unstored'>;
  readonly counts: CountReceivers;
  readonly now: () => number;
}) {
  const { store, watch, counts, now } = options;

  const shown = ({ id, ...stored }: Pick<Listed, 'id' | 'frequent' | 'rare'>, all: CountsByReceiver) => {
    const context = contextIn(stored) as ReceiverContext;
    const { tenant, name } = addressOf(id);
    const { waiting = 0, dead = 0, next = Infinity } = all.waiting.get(name) ?? {};
    const suspended = all.suspended.get(name);
    const own = watch.unstored(name);
    const last = own?.last ?? context.last;
    const minutes = lastMinutes([...context.minutes, ...(own?.minutes ?? [])], now());
    const since = suspended?.since ?? context.failing?.since ?? context.worksSince ?? now();
    return {
      id: name,
      tenantId: tenant,
      url: context.url!,
      state: suspended === undefined ? (context.failing === undefined ? 'ok' : 'failing') : 'suspended',
      since: isoOf(since),
      lastAnswer:
        last === undefined ? null : { at: isoOf(last.at), status: last.status, detail: last.detail },
      waiting,
      dead,
      next: next === Infinity ? null : isoOf(next),
      lastHour: {
        tries: minutes.reduce((sum, [, tries]) => sum + tries, 0),
        successes: minutes.reduce((sum, [, , successes]) => sum + successes, 0),
      },
    } satisfies ReceiverView;
  };

  /** Yields the receivers that are suspended or fail, some at a time. */
  async function* troubled(
    tenant: string | undefined,
    all: CountsByReceiver,
  ): AsyncGenerator<readonly ReceiverView[], void> {
    const read = new Set<string>();
    const ask = (after: string | undefined) =>
      store.list({ kind: RECEIVER, tenant, state: 'failing', after, limit: READ });
    for await (const page of pages(ask)) {
      for (const { id } of page) read.add(addressOf(id).name);
      yield page.map((one) => shown(one, all));
    }
    const others = [...all.suspended].filter(([name]) => !read.has(name));
    for (let from = 0; from < others.length; from += READ) {
      const loaded = await mapInBatches(others.slice(from, from + READ), AT_ONCE, async ([name, one]) => {
        const id = actorId(receiverAddress(one.tenant, name));
        const stored = await store.load(id);
        return stored === undefined ? [] : [shown({ ...stored, id }, all)];
      });
      yield loaded.flat();
    }
  }

  /**
   * Returns the worst of the receivers that are suspended or fail, of those that follow `after`: at most `limit`, and how many
   * there are.
   */
  const worst = async (
    { tenant, state, after }: Partial<Pick<ReceiverFilter, 'tenant' | 'state' | 'after'>>,
    all: CountsByReceiver,
    limit: number,
  ): Promise<{ readonly receivers: readonly ReceiverView[]; readonly count: number }> => {
    let receivers: readonly ReceiverView[] = [];
    let count = 0;
    for await (const some of troubled(tenant, all)) {
      const fitting = some.filter(
        (one) =>
          (state === undefined || one.state === state) && (after === undefined || worstFirst(after, one) < 0),
      );
      count += fitting.length;
      receivers = [...receivers, ...fitting].toSorted(worstFirst).slice(0, limit);
    }
    return { receivers, count };
  };

  return {
    /** Returns the receivers that are suspended or fail, the worst first, at most a number, and how many there are. */
    inTrouble: async (tenant: string | undefined, limit: number) =>
      worst({ tenant }, await counts(tenant), limit),

    /** Returns a page of receivers: those in trouble first, then those that work in the order of tenant and id. */
    async list(filter: ReceiverFilter): Promise<ReceiversPage> {
      const { state, tenant, after, limit } = filter;
      const all = await counts(tenant);
      const isAmongOk = state === 'ok' || after?.state === 'ok';
      const found = isAmongOk ? [] : (await worst(filter, all, limit + 1)).receivers;
      const receivers = found.slice(0, limit);
      if (found.length > limit) return { receivers, next: receivers.at(-1) };
      if (state !== undefined && state !== 'ok') return { receivers, next: undefined };
      const room = limit - receivers.length;
      // Also with room for none: it says whether any follow.
      const { items, more } = await store.list({
        kind: RECEIVER,
        tenant,
        state: 'ok',
        after: after?.state === 'ok' ? actorId(receiverAddress(after.tenantId, after.id)) : undefined,
        limit: Math.max(1, room),
      });
      if (room === 0) return { receivers, next: items.length > 0 ? receivers.at(-1) : undefined };
      const works = items.map((one) => shown(one, all));
      const last = works.at(-1);
      return {
        // A suspended one is among those in trouble.
        receivers: [...receivers, ...works.filter((one) => one.state === 'ok')],
        next: more && last !== undefined ? { ...last, state: 'ok' } : undefined,
      };
    },

    /** Returns a receiver by its id; of `tenant` alone if that is given. undefined if there is none. */
    async show(id: string, tenant: string | undefined): Promise<ReceiverView | undefined> {
      if (!RECEIVER_ID.test(id)) return undefined;
      const address =
        tenant === undefined ? await findAddress(store, RECEIVER, id) : receiverAddress(tenant, id);
      const stored = address && (await store.load(actorId(address)));
      if (stored === undefined) return undefined;
      return shown({ ...stored, id: actorId(address!) }, await counts(address!.tenant));
    },
  };
}

function worstFirst(a: ReceiverCursor, b: ReceiverCursor): number {
  return (
    RECEIVER_STATES.indexOf(a.state) - RECEIVER_STATES.indexOf(b.state) ||
    (a.since < b.since ? -1 : Number(a.since > b.since)) ||
    (a.id < b.id ? -1 : 1)
  );
}
