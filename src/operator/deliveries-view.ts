import { setImmediate } from 'node:timers/promises';
import { contextIn } from '../actors/behavior.js';
import {
  type About,
  type AboutReceipt,
  type AboutSubscription,
  DELIVERY,
  type DeliveryContext,
  isOfSubscription,
  PENDING_STATES,
  shownState,
  type ShownState,
} from '../delivery/delivery.js';
import { type ShownForm, shownForm } from '../delivery/form/formats.js';
import type { Message, WebhookMessage } from '../delivery/port.js';
import { receiverIdIn } from '../delivery/receiver/receiver-machine.js';
import { newestOf } from '../store/newest.js';
import { actorId, addressOf, type Listed, type Store } from '../store/port.js';
import type { Page } from './actors-view.js';
import type { DeliveryRow } from './shapes.js';
import { findDelivery } from './find-address.js';
import { isoOf } from '../system/iso.js';

/** A delivery with every attempt's answer. Times are ISO 8601, UTC. */
export type DeliveryView = DeliveryRow & { readonly message: ShownMessage };

/** A message as people see it. */
export type ShownMessage =
  | (ShownForm & Pick<WebhookMessage, 'channel' | 'url' | 'body'>)
  | Exclude<Message, WebhookMessage>;

/** The deliveries that a list has. */
export interface DeliveryFilter {
  readonly state: ShownState | undefined;
  readonly tenant: string | undefined;
  readonly server: string | undefined;
  readonly subscription: string | undefined;
  /** Id of the receiver of webhooks. */
  readonly receiver: string | undefined;
  /** A part of the answer to the newest attempt. */
  readonly answer: string | undefined;
  /** Id of the last delivery of the page before. */
  readonly before: string | undefined;
  readonly limit: number;
}

/**
 * Maximum number of deliveries that are read for a page. A page of a rare kind may be short or empty, and is not the last
 * one.
 */
const READ_LIMIT = 5_000;
/** Deliveries presented in one turn of the event loop. Their messages may have 64 Ki characters and more. */
const STEP = 10;

/** Returns a page of deliveries, newest first, with the `before` of the next page. */
export function listDeliveries(store: Store, filter: DeliveryFilter): Promise<Page<DeliveryView>> {
  return listDeliveriesAs(store, filter, (delivery) => delivery);
}

/** As `listDeliveries`, with what `present` returns of each: messages may be long, and need not be held for a whole page. */
export async function listDeliveriesAs<T>(
  store: Store,
  filter: DeliveryFilter,
  present: (delivery: DeliveryView) => T,
): Promise<Page<T>> {
  const { state, tenant, before, limit } = filter;
  // Nearly all deliveries are delivered, and a store may have no index of them.
  const states = state === 'pending' ? PENDING_STATES : state === 'dead' ? [state] : undefined;
  const items: T[] = [];
  let last: string | undefined;
  let read = 0;
  for await (const listed of newestOf(store, { kind: DELIVERY, tenant, states, before })) {
    if (items.length === limit || read === READ_LIMIT) return { items, next: last! };
    read += 1;
    last = addressOf(listed.id).name;
    const found = shownState(listed.state);
    if (found === undefined || (state !== undefined && found !== state)) continue;
    if (isAbout(listed, filter)) items.push(present(shown(listed)));
    if (read % STEP === 0) await setImmediate();
  }
  return { items, next: null };
}

/** Returns a delivery by its id, which is unique over all tenants; of `tenant` alone if that is given. */
export async function showDelivery(
  store: Store,
  id: string,
  tenant: string | undefined,
): Promise<DeliveryView | undefined> {
  const address = await findDelivery(store, id, tenant);
  const stored = address === undefined ? undefined : await store.load(actorId(address));
  if (stored === undefined || shownState(stored.state) === undefined) return undefined;
  return shown({ ...stored, id: actorId(address!) });
}

/** The text of the rarely written part is searched first: reading it costs more. */
function isAbout({ frequent, rare }: Listed, filter: DeliveryFilter): boolean {
  const { server, subscription, receiver, answer } = filter;
  if (receiver !== undefined && receiverIdIn({ frequent }) !== receiver) return false;
  if (answer !== undefined) {
    const { attempts } = JSON.parse(frequent) as Pick<DeliveryContext, 'attempts'>;
    if (attempts.at(-1)?.detail.includes(answer) !== true) return false;
  }
  const wanted = [server, subscription].filter((one) => one !== undefined);
  if (wanted.length === 0) return true;
  if (!wanted.every((one) => rare.includes(JSON.stringify(one)))) return false;
  const { about } = JSON.parse(rare) as Pick<DeliveryContext, 'about'>;
  if (!isOfSubscription(about)) return false;
  return (
    (server ?? about.server) === about.server &&
    (subscription ?? about.subscriptionId) === about.subscriptionId
  );
}

function shown({ id, state, frequent, rare, wakeAt }: Listed): DeliveryView {
  const context = contextIn({ frequent, rare }) as DeliveryContext;
  const message = context.message!;
  return {
    id: addressOf(id).name,
    ...originOf(context.about!),
    state: shownState(state)!,
    channel: message.channel,
    to: message.channel === 'email' ? message.to : message.url,
    ...(context.receiver === undefined ? {} : { receiverId: context.receiver }),
    since: isoOf(context.since),
    nextAttemptAt: state === 'waiting' && wakeAt !== undefined ? isoOf(wakeAt) : null,
    waitsFor: state === 'blocked' ? context.after! : null,
    attempts: context.attempts.map(({ at, result, detail }) => ({
      at: isoOf(at),
      result,
      detail,
    })),
    message: shownMessage(message),
  };
}

/** Of headers the names are shown. */
function shownMessage(message: Message): ShownMessage {
  if (message.channel !== 'webhook') return message;
  const { channel, url, body } = message;
  return { channel, url, body, ...shownForm(message) };
}

/** Returns where a message comes from, as operators see it. */
function originOf(about: About): AboutSubscription | AboutReceipt {
  if (!isOfSubscription(about)) return about;
  const { tenant, server, subscriptionId } = about;
  return { tenant, server, subscriptionId };
}
