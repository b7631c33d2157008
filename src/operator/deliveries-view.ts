import { contextIn } from '../actors/behavior.js';
import { DELIVERY } from '../delivery/delivery.js';
import type { About, Attempt, DeliveryContext } from '../delivery/delivery.js';
import type { Message } from '../delivery/port.js';
import { addressOf } from '../store/port.js';
import type { Listed, Store } from '../store/port.js';
import type { Page } from './actors-view.js';

/** States of a delivery in the operators' API, each with its states in the machine. */
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
  /** Url, or address of the recipient. */
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

/** Returns a page of deliveries, ordered by tenant and id. */
export async function listDeliveries(store: Store, filter: DeliveryFilter): Promise<Page<DeliveryView>> {
  const { tenant, after, limit } = filter;
  // One query for all states: between two queries a delivery could change its state and be missed.
  const states = filter.state === undefined ? [undefined] : STATES[filter.state];
  const pages = await Promise.all(
    states.map((state) => store.list({ kind: DELIVERY, tenant, state, after, limit: limit + 1 })),
  );
  // A cut page hides deliveries after its end: the merged page ends at the earliest end.
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
    state: shownState(state)!,
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

/** Returns the state that operators see for a state of the machine. undefined for a delivery that does not exist. */
export function shownState(state: string): DeliveryState | undefined {
  return DELIVERY_STATES.find((one) => (STATES[one] as readonly string[]).includes(state));
}
