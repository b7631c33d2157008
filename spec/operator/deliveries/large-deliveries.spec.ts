import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { listDeliveries } from '../../../src/operator/deliveries-view.js';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import type { Store } from '../../../src/store/port.js';
import { creation } from '../../store/documents.js';
import { ALL } from './all-deliveries.js';

describe('deliveries of large messages', () => {
  let folder: string;
  let store: Store;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deliveries-'));
    store = await openLmdb({ folder });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('are listed once each while their states change', async () => {
    const frequent = JSON.stringify({ since: 0, attempts: [] });
    const rare = JSON.stringify({
      message: { channel: 'email', to: 'ops@example.org', body: 'x' },
      about: { tenant: 't', server: 's', subscriptionId: 'u', factId: 1 },
    });
    const idOf = (n: number): string => `delivery/t/${String(n).padStart(6, '0')}`;
    const many = Array.from({ length: 900 }, (_, n) =>
      creation(idOf(n), { state: n === 0 ? 'delivered' : 'waiting', unindexed: n === 0, frequent, rare }),
    );
    await store.commit(many);
    const next = {
      version: 1,
      state: 'delivered',
      wakeAt: undefined,
      frequent,
      rare: undefined,
      unindexed: true,
    };
    const previous = { state: 'waiting', wakeAt: undefined };
    const waiting = Array.from({ length: 500 }, (_, n) => idOf(400 + n));
    const deliver = async (): Promise<void> => {
      while (waiting.length > 0) {
        const some = waiting.splice(-5);
        await store.commit(
          some.map((id) => ({
            id,
            expected: 1,
            revision: 2,
            commitId: `${id} is delivered`,
            next,
            previous,
          })),
        );
      }
    };
    const delivered = deliver();
    while (waiting.length > 0) {
      const { items } = await listDeliveries(store, ALL);
      expect(items).to.have.length(900);
      expect(new Set(items.map(({ id }) => id)).size).to.equal(900);
      await setImmediate();
    }
    await delivered;
  });

  it('are listed each once, the newest first, in any state', async () => {
    const states = ['dead', 'delivered', 'dead', 'dead', 'waiting', 'dead', 'delivered', 'sending', 'dead'];
    const message = { channel: 'email', to: 'ops@example.org', body: 'x'.repeat(2_500_000) };
    const about = { tenant: 't', server: 's', subscriptionId: 'u', factId: 1 };
    const frequent = JSON.stringify({ since: 0, attempts: [] });
    const small = { ...message, body: 'x' };
    for (const [i, state] of states.entries()) {
      const rare = JSON.stringify({ message: state === 'dead' ? message : small, about });
      await store.commit([creation(`delivery/t/${i}`, { state, frequent, rare })]);
    }
    const walked: string[] = [];
    const lengths: number[] = [];
    for (let before: string | undefined; ;) {
      const page = await listDeliveries(store, { ...ALL, before, limit: 4 });
      walked.push(...page.items.map(({ id }) => id));
      lengths.push(page.items.length);
      if (page.next === null) break;
      before = page.next;
    }
    expect(walked).to.deep.equal(states.map((_, i) => String(i)).toReversed());
    expect(lengths).to.deep.equal([4, 4, 1]);
  });
});
