import type { ActorEvent, Actors, Effect, OutboxEntry } from '../../../src/actors/kind.js';
import { createDeliveries } from '../../../src/delivery/deliveries.js';
import {
  deliveryAddress,
  type DeliveryContext,
  type DeliveryEvent,
  type DispatchEvent,
} from '../../../src/delivery/delivery.js';
import type { Answer } from '../../../src/delivery/port.js';
import type { Dispatcher } from '../../../src/delivery/queue/dispatcher.js';
import { type Address, addressOf, type Stored } from '../../../src/store/port.js';
import { effectRun } from '../../actors/stage/effect-run.js';
import { driveActor } from '../../actors/stage/driven-actor.js';
import { type Delivery, drivenDeliveryKind } from '../driven-delivery.js';

export const TENANT = 'acme';

/** What the deliveries find outside: a spec decides it at each call. */
export interface Outside {
  now(): number;
  /** True if a permit is free. */
  permit(): boolean;
  /** Called at each attempt. */
  answer(id: string): Answer;
}

/** Deliveries without a runtime: their machines, effects and dispatch, each step of which a spec decides. */
export interface SimulatedDeliveries {
  dispatch(id: string, event: DispatchEvent): Promise<void>;
  /** The deliveries that exist, by id. */
  readonly all: ReadonlyMap<string, Delivery>;
  /** Entries of outboxes whose effects can be started: those that do not run already. */
  startable(): readonly Startable[];
  /** Runs an effect. Its report waits. */
  start(one: Startable): Promise<void>;
  /** The reports that wait. */
  readonly reports: Report[];
  /** Takes a report to its delivery. */
  report(one: Report): void;
  ask(id: string, event: DeliveryEvent): unknown;
  /** Forgets what runs, as the end of a process does. */
  crash(): void;
}

export interface Startable {
  readonly id: string;
  readonly entry: OutboxEntry;
}

export interface Report extends Startable {
  readonly event: ActorEvent | undefined;
}

/** Creates deliveries without any message. */
export function simulatedDeliveries(outside: Outside): SimulatedDeliveries {
  const all = new Map<string, Delivery>();
  const running = new Set<OutboxEntry['id']>();
  const reports: Report[] = [];
  const clock = { now: () => outside.now(), random: () => 0 };

  const ask = (id: string, event: ActorEvent): unknown => {
    const delivery = all.get(id) ?? driveActor(kind, deliveryAddress(TENANT, id));
    const reply = delivery.ask(event as DeliveryEvent);
    if (delivery.state === 'gone') all.delete(id);
    else if (delivery.state !== 'new') all.set(id, delivery);
    return reply;
  };
  const actors = {
    ask: async (address: Address, event: ActorEvent) =>
      address.kind === 'delivery' ? ask(address.name, event) : undefined,
    peek: () => undefined,
    read: async () => undefined,
  } as unknown as Actors;
  const store = {
    load: async (id: string): Promise<Stored | undefined> => {
      const delivery = all.get(addressOf(id).name);
      if (delivery === undefined) return undefined;
      const frequent = JSON.stringify(delivery.context);
      return { revision: 1, version: 1, state: delivery.state, wakeAt: undefined, frequent, rare: '{}' };
    },
  };
  const dispatcher: Dispatcher = {
    start: () => undefined,
    begin: (_place, ask) => ask(outside.permit() ? undefined : clock.now()),
    claim: () => (outside.permit() ? () => undefined : undefined),
    expect: () => undefined,
    ended: () => undefined,
    close: async () => undefined,
  };
  const sender = { send: async (id: string) => outside.answer(id), close: async () => undefined };
  const kind = drivenDeliveryKind({
    senders: { webhook: sender, email: sender, mirror: sender },
    clock,
    dispatcher,
    onDeadLetterEnded: () => undefined,
  });
  const deliveries = createDeliveries({ actors: () => actors, store, dispatcher });
  const keyOf = ({ id, entry }: Startable): string => `${id} ${entry.id}`;

  return {
    dispatch: (id, event) => deliveries.dispatch(id, event),
    all,
    startable: () =>
      [...all].flatMap(([id, { context }]) =>
        context.outbox.map((entry) => ({ id, entry })).filter((one) => !running.has(keyOf(one))),
      ),
    async start(one) {
      running.add(keyOf(one));
      const address = deliveryAddress(TENANT, one.id);
      const effect = kind.effects[one.entry.type]! as (...args: readonly unknown[]) => ReturnType<Effect>;
      const context: DeliveryContext = all.get(one.id)!.context;
      const event = await effect(one.entry, context, effectRun(address, { actors }));
      reports.push({ ...one, event });
    },
    reports,
    report(one) {
      reports.splice(reports.indexOf(one), 1);
      running.delete(keyOf(one));
      if (one.event !== undefined) ask(one.id, one.event);
    },
    ask,
    crash() {
      running.clear();
      reports.length = 0;
    },
  };
}
