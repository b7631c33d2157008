import { expect } from 'chai';
import { actorId } from '../../../src/store/port.js';
import { memoryStore, type MemoryStore } from '../../actors/stage/memory-store.js';
import { until } from '../../actors/stage/queue.js';
import { deliveryAddress } from '../../../src/delivery/delivery.js';
import type { Answer } from '../../../src/delivery/port.js';
import { DEAD, DELIVERED, GIVE_UP, KEEP, NOON, REFUSED, RETRY } from '../driven-delivery.js';
import { waitingDelivery } from '../waiting-delivery.js';
import { dispatched, type Dispatched } from './dispatched.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
/** Time after the start in which everything is tried early. */
const EARLY = 10 * SECOND;
const URL_1 = 'http://r.example/hook';

for (const shared of [false, true]) {
  describe(`deliveries whose clock is set back, on ${shared ? 'a shared' : 'an unshared'} store`, () => {
    let store: MemoryStore;
    let node: Dispatched;
    const clock = { time: NOON, now: () => clock.time, random: () => 0.5 };

    let walks = 0;

    beforeEach(() => {
      store = memoryStore({ shared });
      const queues = store.queues.bind(store);
      walks = 0;
      store.queues = (after, limit) => {
        walks += 1;
        return queues(after, limit);
      };
      clock.time = NOON;
      node = dispatched(store, clock, { sweepMs: 5 });
    });
    afterEach(() => node.close());

    const stored = (id: string) => store.documents.get(actorId(deliveryAddress('acme', id)));
    const dispatch = async (id: string, url = URL_1): Promise<void> => {
      await node.dispatch('acme', id, url);
      await until(async () => node.inFlight.has(id));
    };
    const answered = async (id: string, answer: Answer, state: string): Promise<void> => {
      node.answer(answer);
      await until(async () => stored(id)?.state === state);
    };
    /** Lets the dispatcher look for what is due. */
    const walked = async (): Promise<void> => {
      const before = walks;
      // Walks are a second apart.
      await until(async () => {
        if (walks === before) clock.time += 50;
        return walks > before;
      });
    };
    const afterEarly = async (): Promise<void> => {
      clock.time += EARLY;
      await walked();
    };
    const setBack = (by = HOUR): number => (clock.time -= by);
    const isDue = (id: string, at: number) => until(async () => stored(id)?.wakeAt === at);

    it('are retried after their delay at most', async () => {
      await afterEarly();
      await dispatch('m1');
      await answered('m1', { ...RETRY, retryAfterS: 600 }, 'waiting');
      const delay = stored('m1')!.wakeAt! - clock.time;
      expect(delay).to.be.within(600 * SECOND, 601 * SECOND);
      const back = setBack();
      await isDue('m1', back + delay);
      clock.time = back + delay - 60 * SECOND;
      await walked();
      expect(node.sent).to.deep.equal(['m1']);
      clock.time = back + delay;
      await until(async () => node.sent.length === 2);
      await answered('m1', DELIVERED, 'delivered');
    });

    it('are found in the store at once, however far ahead the last look at it was', async () => {
      await afterEarly();
      setBack();
      await store.commit([
        waitingDelivery('acme', 'left', { origin: 'http://other.example', now: clock.time - DAY }),
      ]);
      await until(async () => node.sent.includes('left'));
      await answered('left', DELIVERED, 'delivered');
    });

    it('are given up after their time at most', async () => {
      await dispatch('m1');
      const back = setBack();
      clock.time = back + 1;
      await answered('m1', { ...RETRY, retryAfterS: 2 * (GIVE_UP / SECOND) }, 'waiting');
      const last = stored('m1')!.wakeAt!;
      expect(last).to.be.within(back, back + 1 + GIVE_UP);
      clock.time = last;
      await until(async () => node.sent.length === 2);
      await answered('m1', RETRY, 'dead');
    });

    it('are dispatched as before, also to a receiver that failed', async () => {
      await afterEarly();
      for (let i = 0; i < 20; i += 1) {
        clock.time += SECOND;
        await dispatch(`m${i}`);
        await answered(`m${i}`, { ...RETRY, retryAfterS: 600 }, 'waiting');
      }
      setBack();
      await dispatch('late');
      await answered('late', DELIVERED, 'delivered');
    });

    it('are kept for their time at most, delivered or dead', async () => {
      await dispatch('m1');
      await answered('m1', DELIVERED, 'delivered');
      await dispatch('m2');
      await answered('m2', REFUSED, 'dead');
      const back = setBack();
      await isDue('m1', back + KEEP);
      await isDue('m2', back + DEAD);
      clock.time = back + KEEP;
      await until(async () => stored('m1') === undefined);
    });

    it('wait no longer for the message before them', async () => {
      await dispatch('m1');
      await node.dispatch('acme', 'm2', URL_1, { after: 'm1' });
      expect(stored('m2')!.state).to.equal('blocked');
      const back = setBack();
      await until(async () => stored('m2')!.wakeAt! <= back + GIVE_UP);
      await answered('m1', DELIVERED, 'delivered');
      await until(async () => node.inFlight.has('m2'));
    });

    it('go on in old time when the clock is right again', async () => {
      await afterEarly();
      await dispatch('m1');
      await answered('m1', { ...RETRY, retryAfterS: 600 }, 'waiting');
      const back = setBack();
      await until(async () => stored('m1')!.wakeAt! <= back + 601 * SECOND);
      clock.time = NOON + EARLY;
      await walked();
      await until(async () => node.sent.length === 2);
    });
  });
}
