import { contextIn } from '../../actors/behavior.js';
import {
  lastMinutes,
  RECEIVER,
  RECEIVER_ID,
  receiverAddress,
  type ReceiverContext,
} from '../../delivery/receiver/receiver-machine.js';
import type { ReceiverWatch } from '../../delivery/receiver/receiver-watch.js';
import { actorId, addressOf, type Listed, type Store } from '../../store/port.js';
import { findAddress } from '../find-address.js';
import type { ReceiverState, ReceiversView, ReceiverView } from '../shapes.js';
import type { CountReceivers, CountsByReceiver } from './receiver-counts.js';

/** The receivers that a list has. */
export interface ReceiverFilter {
  readonly state: ReceiverState | undefined;
  /** undefined: of all tenants. */
  readonly tenant: string | undefined;
  /** The `next` of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Reads the receivers of webhooks. */
export type Receivers = ReturnType<typeof createReceivers>;

export const RECEIVER_STATES: readonly ReceiverState[] = ['suspended', 'failing', 'ok'];
/** Maximum number of receivers that are read as failing, or as suspended. */
const IN_TROUBLE = 1_000;

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
      since: iso(since),
      lastAnswer: last === undefined ? null : { at: iso(last.at), status: last.status, detail: last.detail },
      waiting,
      dead,
      next: next === Infinity ? null : iso(next),
      lastHour: {
        tries: minutes.reduce((sum, [, tries]) => sum + tries, 0),
        successes: minutes.reduce((sum, [, , successes]) => sum + successes, 0),
      },
    } satisfies ReceiverView;
  };

  /** Returns the receivers that are suspended or fail, the worst first. */
  const inTrouble = async (tenant: string | undefined, all: CountsByReceiver): Promise<ReceiverView[]> => {
    const query = { kind: RECEIVER, tenant, state: 'failing', limit: IN_TROUBLE };
    const found = new Map((await store.list(query)).items.map((one) => [one.id, one] as const));
    for (const [name, { tenant: owner }] of [...all.suspended].slice(0, IN_TROUBLE)) {
      const id = actorId(receiverAddress(owner, name));
      const stored = found.has(id) ? undefined : await store.load(id);
      if (stored !== undefined) found.set(id, { ...stored, id });
    }
    return [...found.values()].map((one) => shown(one, all)).toSorted(worstFirst);
  };

  return {
    /** Returns the receivers that are suspended or fail, the worst first. */
    inTrouble: async (tenant: string | undefined) => inTrouble(tenant, await counts(tenant)),

    /** Returns a page of receivers: those in trouble first, then those that work in the order of tenant and id. */
    async list({ state, tenant, after, limit }: ReceiverFilter): Promise<ReceiversView> {
      const all = await counts(tenant);
      const troubled = state === 'ok' ? [] : await inTrouble(tenant, all);
      const wanted = state === undefined ? troubled : troubled.filter((one) => one.state === state);
      const position = wanted.findIndex((one) => cursorOf(one) === after);
      const isAmongOk = after !== undefined && position === -1;
      const receivers = isAmongOk ? [] : wanted.slice(position + 1, position + 1 + limit);
      const isCut = !isAmongOk && position + 1 + limit < wanted.length;
      if (isCut || (state !== undefined && state !== 'ok'))
        return { receivers, next: isCut ? cursorOf(receivers.at(-1)!) : null };
      const from = isAmongOk ? `${RECEIVER}/${after}` : undefined;
      const room = limit - receivers.length;
      // Also with room for none: it says whether any follow.
      const page = await store.list({
        kind: RECEIVER,
        tenant,
        state: 'ok',
        after: from,
        limit: Math.max(1, room),
      });
      const works = page.items.map((one) => shown(one, all)).filter((one) => one.state === 'ok');
      if (room === 0) {
        const next = page.items.length > 0 ? cursorOf(receivers.at(-1)!) : null;
        return { receivers, next };
      }
      const last = page.items.at(-1);
      return {
        receivers: [...receivers, ...works],
        next: page.more && last !== undefined ? last.id.slice(RECEIVER.length + 1) : null,
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

function cursorOf({ tenantId, id }: ReceiverView): string {
  return `${tenantId}/${id}`;
}

function worstFirst(a: ReceiverView, b: ReceiverView): number {
  return (
    RECEIVER_STATES.indexOf(a.state) - RECEIVER_STATES.indexOf(b.state) ||
    (a.since < b.since ? -1 : Number(a.since > b.since)) ||
    (a.id < b.id ? -1 : 1)
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
