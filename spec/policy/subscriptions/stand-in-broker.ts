import type { Broker, BrokerSubscription, Granted } from '../../../src/broker/port.js';
import { Queue } from '../../actors/queue.js';

/** A request that a broker has got and not answered yet. */
interface Held {
  readonly subscription: BrokerSubscription;
  answer(): void;
}

/** A context broker in the process: what it holds can be seen, and it can be slow, down or forgetful. */
export interface StandInBroker extends Broker {
  /** What it holds, by id. */
  readonly held: Map<string, BrokerSubscription>;
  /** Requests that reached it, each as `subscribe`, `renew b1` or `unsubscribe b1`. */
  readonly requests: Queue<string>;
  /** While set, every request ends in it. */
  fault: Error | undefined;
  /** While true, a wish for a subscription waits in `waiting`. */
  slow: boolean;
  readonly waiting: Queue<Held>;
  /** What it says about the end of its subscriptions, ms since the epoch. */
  expiresAt: number | undefined;
}

/** Starts one, up and empty; its ids are `b1`, `b2` and so on. */
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
    async renew(id) {
      asked(`renew ${id}`);
      return broker.held.has(id) ? granted(id) : undefined;
    },
    async unsubscribe(id) {
      asked(`unsubscribe ${id}`);
      broker.held.delete(id);
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
