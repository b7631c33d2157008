import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { messageId } from '../../../src/delivery/message-id.js';
import { listDeliveries } from '../../../src/operator/deliveries-view.js';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import type { Store } from '../../../src/store/port.js';
import { creation } from '../../store/documents.js';
import { leastHold } from '../../system/longest-hold.js';
import { ALL } from './all-deliveries.js';

/** Longest time that a page may hold the event loop, ms. */
const HOLD_MS = 50;

describe('many deliveries', () => {
  let folder: string;
  let store: Store;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mirzam-many-'));
    store = await openLmdb({ folder });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  /** Fills the store. Returns the ids, newest first. */
  async function fill(tenants: number, each: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let t = 0; t < tenants; t += 1) {
      const made = Array.from({ length: each }, (_, n) => {
        const id = messageId(1_700_000_000_000 + n * tenants + t, `${t}`);
        ids.push(id);
        const message = { channel: 'webhook', url: 'http://r.example/', body: 'x'.repeat(500) };
        const about = { tenant: `t${t}`, server: `web-${n % 100}`, subscriptionId: 's', factId: 1 };
        return creation(`delivery/t${t}/${id}`, {
          state: 'delivered',
          unindexed: true,
          frequent: JSON.stringify({ since: 0, attempts: [] }),
          rare: JSON.stringify({ message, about }),
        });
      });
      for (let from = 0; from < each; from += 1_000) await store.commit(made.slice(from, from + 1_000));
    }
    return ids.toSorted().toReversed();
  }

  for (const [tenants, each] of [
    [1, 100_000],
    [1_000, 10],
  ] as const) {
    it(`are listed without holding the event loop: ${each} of each of ${tenants} tenants`, async () => {
      const newest = await fill(tenants, each);
      const first = await listDeliveries(store, { ...ALL, limit: 100 });
      expect(first.items.map(({ id }) => id)).to.deep.equal(newest.slice(0, 100));
      const next = { ...ALL, before: first.next!, limit: 100 };
      expect((await listDeliveries(store, next)).items.map(({ id }) => id)).to.deep.equal(
        newest.slice(100, 200),
      );
      const filters = [{}, { before: first.next! }, { server: 'unknown' }, { limit: 1_000 }];
      for (const filter of filters) {
        const hold = await leastHold(() => listDeliveries(store, { ...ALL, limit: 100, ...filter }), HOLD_MS);
        expect(hold, JSON.stringify(filter)).to.be.below(HOLD_MS);
      }
    });
  }

  it('have an empty page with a next one if none fits among 5,000', async () => {
    const newest = await fill(1, 6_000);
    const page = await listDeliveries(store, { ...ALL, server: 'unknown', limit: 100 });
    expect(page).to.deep.equal({ items: [], next: newest[4_999] });
    const last = await listDeliveries(store, { ...ALL, server: 'unknown', before: page.next!, limit: 100 });
    expect(last).to.deep.equal({ items: [], next: null });
  });
});
