import { contextIn } from '../actors/stored-context.js';
import { DELIVERY } from '../delivery/delivery.js';
import type { About, Attempt, DeliveryContext } from '../delivery/delivery.js';
import type { Message } from '../delivery/port.js';
import { addressOf } from '../store/port.js';
import type { Listed, Store } from '../store/port.js';
import type { Page } from './actors-view.js';

/** The words that operators use for the states of a delivery. */
const STATES = {
  pending: ['sending', 'waiting'],
  delivered: ['delivered'],
  dead: ['dead'],
} as const;
export type DeliveryState = keyof typeof STATES;
export const DELIVERY_STATES = Object.keys(STATES) as readonly DeliveryState[];

/** A delivery with every attempt's answer. Times are ISO 8601, UTC. */
export type DeliveryView = About & {
  readonly id: string;
  readonly state: DeliveryState;
  readonly channel: Message['channel'];
  /** The url, or the recipient's address. */
  readonly to: string;
  readonly since: string;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly {
    readonly at: string;
    readonly result: Attempt['result'];
    readonly detail: string;
  }[];
  readonly message: Message;
};

export interface DeliveryFilter {
  readonly state: DeliveryState | undefined;
  readonly tenant: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** A page of deliveries in the order of tenant and id. */
export async function listDeliveries(store: Store, filter: DeliveryFilter): Promise<Page<DeliveryView>> {
  const { tenant, after, limit } = filter;
  // All are listed as one: a delivery may go from one state to the next between two listings.
  const states = filter.state === undefined ? [undefined] : STATES[filter.state];
  const pages = await Promise.all(
    states.map((state) => store.list({ kind: DELIVERY, tenant, state, after, limit: limit + 1 })),
  );
  // What a page had no room for may come before what another page shows.
  const ends = pages.filter((page) => page.more).map((page) => page.items.at(-1)!.id);
  const found = pages
    .flatMap((page) => page.items)
    .filter(({ id }) => ends.every((end) => id <= end))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const items = found.slice(0, limit);
  const isLast = found.length <= limit && ends.length === 0;
  return { items: items.map(shown), next: isLast ? null : items.at(-1)!.id };
}

function shown({ id, state, hot, cold, wakeAt }: Listed): DeliveryView {
  const context = contextIn({ hot, cold }) as DeliveryContext;
  const message = context.message!;
  return {
    id: addressOf(id).name,
    ...context.about!,
    state: DELIVERY_STATES.find((one) => (STATES[one] as readonly string[]).includes(state))!,
    channel: message.channel,
    to: message.channel === 'email' ? message.to : message.url,
    since: new Date(context.since).toISOString(),
    nextAttemptAt: state === 'waiting' && wakeAt !== undefined ? new Date(wakeAt).toISOString() : null,
    attempts: context.attempts.map(({ at, result, detail }) => ({
      at: new Date(at).toISOString(),
      result,
      detail,
    })),
    message,
  };
}
