import { expect } from 'chai';
import { createDispatcher, type Dispatcher } from '../../../src/delivery/queue/dispatcher.js';
import { until } from '../../actors/stage/queue.js';

const QUEUE = 'acme/http://r.example';
const ID = 'delivery/acme/msg_a';

describe('the permits of a delivery', () => {
  let dispatcher: Dispatcher;
  let waiting: string[];
  let looks: number;
  beforeEach(() => {
    waiting = [ID];
    looks = 0;
    dispatcher = createDispatcher({
      store: {
        shared: false,
        queues: async () => waiting.map(() => ({ queue: QUEUE, wakeAt: 1 })),
        queued: async () => {
          looks += 1;
          return waiting.map((id) => ({ id, wakeAt: 1 }));
        },
      },
      clock: { now: Date.now, random: () => 0.5 },
      limits: { perReceiver: 2, perTenant: 2, inAll: 2 },
      // As in the runtime: a delivery that is dispatched again ignores its permit.
      permit: async () => undefined,
      onError: (error) => expect.fail(String(error)),
    });
  });
  afterEach(() => dispatcher.close());

  const freeAgain = (): Promise<unknown> =>
    until(async () => {
      const [first, second] = ['x', 'y'].map((id) => dispatcher.claim({ id, queue: QUEUE }));
      first?.();
      second?.();
      return first !== undefined && second !== undefined;
    });

  it('are all free again after the delivery was dispatched twice at once', async () => {
    const place = { id: ID, queue: QUEUE };
    const until = await dispatcher.begin(place, () => dispatcher.begin(place, async (waits) => waits));
    expect(until).to.be.a('number');
    await freeAgain();
  });

  it('are all free again after the delivery was dispatched again while it waited', async () => {
    await dispatcher.begin({ id: ID, queue: QUEUE }, async (waits) => {
      expect(waits).to.equal(undefined);
      dispatcher.start();
      await until(async () => looks > 0);
    });
    waiting = [];
    await freeAgain();
  });
});
