import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { createDispatcher, type Dispatcher } from '../../../src/delivery/queue/dispatcher.js';
import { ownerOf } from '../../../src/delivery/queue/permits.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';

const QUEUES = 300;
const ID_BYTES = 200_000;

const heap = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
};

describe('the memory of the dispatcher', () => {
  let dispatcher: Dispatcher;
  afterEach(() => dispatcher.close());

  it('holds nothing for empty queues', () => expectNothingHeld(true));

  it('holds nothing of deliveries that another node has tried', () => expectNothingHeld(false));

  /** `claimed`: whether the deliveries take their permits. */
  async function expectNothingHeld(claimed: boolean): Promise<void> {
    const waiting = new Map<string, string>();
    let told = 0;
    let ahead = 0;
    dispatcher = createDispatcher({
      store: {
        shared: false,
        queues: async () => [],
        queued: async (queue) => {
          const id = waiting.get(queue);
          return id === undefined ? [] : [{ id, wakeAt: 1 }];
        },
      },
      clock: { now: () => Date.now() + ahead, random: () => 0.5 },
      limits: { perReceiver: 1, perTenant: 1_000, inAll: 1_000 },
      permit: async (id) => {
        const queue = `acme/${id.slice(id.indexOf('http'))}`;
        waiting.delete(queue);
        told += 1;
        if (claimed) setImmediate(dispatcher.claim({ id, queue })!);
      },
      onError: (error) => expect.fail(String(error)),
    });
    // Past the time after the start in which waiting deliveries are tried early.
    ahead = 10_000;
    dispatcher.start();
    const before = heap();
    for (let n = 0; n < QUEUES; n += 1) {
      const queue = `acme/http://r${n}.example`;
      waiting.set(queue, Buffer.alloc(ID_BYTES, 'x').toString('latin1') + ownerOf(queue).receiver);
      dispatcher.expect(queue, 1);
    }
    await eventually(
      () => told >= QUEUES || undefined,
      SOON_MS,
      () => `${told} were given`,
    );
    ahead += 60_000;
    const kept = (): number => (heap() - before) / (QUEUES * ID_BYTES);
    await eventually(
      () => kept() < 0.1 || undefined,
      SOON_MS,
      () => `${kept()} of it is left`,
    );
  }
});
