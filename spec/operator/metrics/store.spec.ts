import { expect } from 'chai';
import { Registry } from 'prom-client';
import { storeMetrics } from '../../../src/operator/metrics/store.js';
import type { Store } from '../../../src/store/port.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { creation } from '../../store/documents.js';

const NEVER = new Promise<never>(() => undefined);

describe('the metrics that the store is asked for', function () {
  /** A store with one dead letter, whose answers a spec replaces, and a clock that makes each scrape ask again. */
  const stage = async () => {
    const store = memoryStore();
    await store.commit([creation('delivery/demo/msg_1', { state: 'dead' })]);
    const answers: Pick<Store, 'count' | 'list' | 'ping'> = {
      count: (query) => store.count(query),
      list: (query) => store.list(query),
      ping: () => Promise.resolve(),
    };
    const registry = new Registry();
    let now = 0;
    storeMetrics(registry, {
      store: {
        count: (query) => answers.count(query),
        list: (query) => answers.list(query),
        ping: () => answers.ping(),
      },
      hasLedger: false,
      now: () => (now += 60_000),
    });
    return { answers, scrape: () => registry.metrics() };
  };

  const DEAD = 'mirzam_deliveries{state="dead"} 1\n';

  it('say that the store is up while it answers, however long it counts; the counts are then the last known', async () => {
    const { answers, scrape } = await stage();
    expect(await scrape())
      .to.include('mirzam_store_up 1\n')
      .and.include(DEAD);
    answers.count = () => NEVER;
    expect(await scrape())
      .to.include('mirzam_store_up 1\n')
      .and.include(DEAD);
  });

  for (const [how, ping] of [
    ['refuses', () => Promise.reject(new Error('away'))],
    ['never answers', () => NEVER],
  ] as const) {
    it(`leave the counts out while the store ${how}`, async () => {
      const { answers, scrape } = await stage();
      await scrape();
      answers.ping = ping;
      expect(await scrape())
        .to.include('mirzam_store_up 0\n')
        .and.not.match(/^mirzam_deliveries|^mirzam_delivery_oldest/m);
    });
  }
});
