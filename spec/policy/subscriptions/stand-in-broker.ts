import type { Broker, BrokerSubscription, Granted } from '../../../src/broker/port.js';
import { Queue } from '../../actors/stage/queue.js';

/** A request that the broker has not answered yet. */
interface Held {
  readonly subscription: BrokerSubscription;
  answer(): void;
}

/** A context broker in the process. Specs read its subscriptions and make it slow, unavailable or forgetful. */
export interface StandInBroker extends Broker {
  /** Its subscriptions by id. */
  readonly held: Map<string, BrokerSubscription>;
  /** Its requests, each as `subscribe`, `renew b1` or `unsubscribe b1`. */
  readonly requests: Queue<string>;
  /** While set, every request rejects with it. */
  fault: Error | undefined;
  /** While true, requests for a subscription wait in `waiting`. */
  slow: boolean;
  readonly waiting: Queue<Held>;
  /** Expiry of the subscriptions it grants, ms since the epoch. */
  expiresAt: number | undefined;
}

/** Starts the broker without subscriptions. Its ids are `b1`, `b2` and so on. */
export function standInBroker(): StandInBroker {
  let made = 0;
  const broker: StandInBroker = {
    held: new Map(),
    requests: new Queue(),
    waiting: new Queue(),
    fault: undefined,
    slow: false,
    expiresAt: undefined,
    async subscribe(subscription) {
      asked('subscribe');
      if (broker.slow) await new Promise<void>((answer) => broker.waiting.push({ subscription, answer }));
      const id = `b${(made += 1)}`;
      broker.held.set(id, subscription);
      return granted(id);
    },
    async retract() {
      return [];
    },
    async renew(id, { tenant }) {
      asked(`renew ${id}`);
      return broker.held.get(id)?.tenant === tenant ? granted(id) : undefined;
    },
    async unsubscribe(id, tenant) {
      asked(`unsubscribe ${id}`);
      if (broker.held.get(id)?.tenant === tenant) broker.held.delete(id);
    },
    async close() {},
  };
  const asked = (request: string): void => {
    broker.requests.push(request);
    if (broker.fault !== undefined) throw broker.fault;
  };
  const granted = (id: string): Granted => ({ id, expiresAt: broker.expiresAt });
  return broker;
}
