import { type ActorFault, startActors } from '../../../src/actors/runtime.js';
import type { Actors } from '../../../src/actors/kind.js';
import type { ActorLimits } from '../../../src/actors/overload.js';
import {
  createDeliveries,
  type Deliveries,
  deliveryDispatcher,
  type AcquireEntry,
} from '../../../src/delivery/deliveries.js';
import type { DispatchEvent, Renewed, RenewEvent } from '../../../src/delivery/delivery.js';
import type { Answer } from '../../../src/delivery/port.js';
import type { Store } from '../../../src/store/port.js';
import { drivenDeliveryKind } from '../driven-delivery.js';
import { drivenEndpointKind } from '../endpoint/driven-endpoint.js';

/** The deliveries of one node on a store; a spec answers their attempts. */
export interface Dispatched {
  readonly actors: Actors;
  /** Ids in the order in which they were sent. */
  readonly sent: string[];
  readonly inFlight: ReadonlySet<string>;
  readonly faults: ActorFault[];
  /** Dispatches a webhook message, by default one of a rule without states, which waits for no permit to begin to wait. */
  dispatch(
    tenant: string,
    id: string,
    url: string,
    more?: Partial<DispatchEvent>,
    acquireEntry?: AcquireEntry,
  ): Promise<void>;
  /** Replaces the message of a delivery by one to the same address. */
  renew(tenant: string, id: string, url: string): Promise<Renewed>;
  /** Answers every attempt in flight. */
  answer(answer: Answer): void;
  close(): Promise<void>;
}

/** Starts the deliveries of a node. */
export function dispatched(
  store: Store,
  clock: { now(): number; random(): number },
  limits: Partial<ActorLimits> = {},
): Dispatched {
  const sent: string[] = [];
  const inFlight = new Set<string>();
  const faults: ActorFault[] = [];
  const answers = new Map<string, (answer: Answer) => void>();
  const sender = {
    send: (id: string) => {
      sent.push(id);
      inFlight.add(id);
      return new Promise<Answer>((resolve) => answers.set(id, resolve)).finally(() => inFlight.delete(id));
    },
    close: async () => {},
  };
  const dispatcher = deliveryDispatcher(
    () => actors,
    store,
    clock,
    (error) => faults.push({ what: 'sweep', error }),
  );
  const deliveries: Deliveries = createDeliveries({ actors: () => actors, store, dispatcher });
  const senders = { webhook: sender, email: sender, mirror: sender };
  const actors = startActors({
    store,
    kinds: [drivenDeliveryKind({ senders, clock, dispatcher }), drivenEndpointKind()],
    now: () => clock.now(),
    limits,
    onFault: (fault) => faults.push(fault),
  });
  dispatcher.start();
  const messageTo = (url: string) => ({ channel: 'webhook', url, body: '{}' }) as const;
  const aboutOf = (tenant: string) => ({ tenant, server: 's', subscriptionId: 'u', factId: 1 });
  return {
    actors,
    sent,
    inFlight,
    faults,
    dispatch: (tenant, id, url, more = {}, acquireEntry) => {
      const event: DispatchEvent = {
        type: 'dispatch',
        now: clock.now(),
        message: messageTo(url),
        about: aboutOf(tenant),
        ...more,
      };
      return deliveries.dispatch(id, event, acquireEntry);
    },
    renew: (tenant, id, url) => {
      const event: RenewEvent = {
        type: 'renew',
        now: clock.now(),
        message: messageTo(url),
        about: aboutOf(tenant),
        urgent: false,
      };
      return deliveries.renew(id, event);
    },
    answer(answer) {
      for (const resolve of answers.values()) resolve(answer);
      answers.clear();
    },
    async close() {
      await dispatcher.close();
      await actors.close();
    },
  };
}
