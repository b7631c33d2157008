import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listDeliveries } from '../../src/operator/deliveries-view.js';
import { openLmdb } from '../../src/store/lmdb.js';
import type { Store } from '../../src/store/port.js';
import { creation } from '../store/documents.js';

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

  it('are listed in short pages, all of them exactly once and in order, whatever their states', async () => {
    const states = ['dead', 'delivered', 'dead', 'dead', 'waiting', 'dead', 'delivered', 'sending', 'dead'];
    const message = { channel: 'email', to: 'ops@example.org', body: 'x'.repeat(2_500_000) };
    const about = { tenant: 't', server: 's', subscriptionId: 'u' };
    const hot = JSON.stringify({ since: 0, attempts: [] });
    const small = { ...message, body: 'x' };
    for (const [i, state] of states.entries()) {
      const cold = JSON.stringify({ message: state === 'dead' ? message : small, about });
      await store.commit([creation(`delivery/t/${i}`, { state, hot, cold })]);
    }
    const walked: string[] = [];
    const lengths: number[] = [];
    for (let after: string | undefined; ;) {
      const page = await listDeliveries(store, { state: undefined, tenant: undefined, after, limit: 100 });
      walked.push(...page.items.map(({ id }) => id));
      lengths.push(page.items.length);
      if (page.next === null) break;
      after = page.next;
    }
    expect(walked).to.deep.equal(states.map((_, i) => String(i)));
    expect(lengths).to.deep.equal([3, 3, 3]);
  });
});
