import { expect } from 'chai';
import { oldestWaiting } from '../../../src/operator/metrics/oldest-waiting.js';
import { memoryStore, type MemoryStore } from '../../actors/stage/memory-store.js';
import { creation } from '../../store/documents.js';

describe('the oldest waiting delivery', () => {
  let store: MemoryStore;
  beforeEach(() => {
    store = memoryStore();
  });

  const add = async (tenant: string, since: number, state = 'waiting', firedAt = since): Promise<void> => {
    const name = `msg_${firedAt.toString(16).padStart(12, '0')}`;
    const fields = { state, frequent: JSON.stringify({ since }), rare: '{}' };
    await store.commit([creation(`delivery/${tenant}/${name}`, fields)]);
  };

  it('is none if no delivery waits', async () => {
    await add('a', 1, 'dead');
    expect(await oldestWaiting(store)()).to.equal(undefined);
  });

  it('is that of all tenants, whichever has it', async () => {
    await add('a', 500);
    await add('a', 900);
    await add('b', 300);
    await add('b', 100, 'delivered');
    await add('c', 400);
    const oldest = oldestWaiting(store);
    expect(await oldest()).to.equal(300);
    store.documents.delete('delivery/b/msg_00000000012c');
    expect(await oldest()).to.equal(400);
  });

  it('is found behind dead letters that were sent again, which are younger than their ids', async () => {
    const [old, later, now] = [1_000_000, 5_000_000, 90_000_000];
    for (let n = 0; n < 250; n += 1) await add('a', now, 'waiting', old + n);
    await add('a', later);
    await add('b', now, 'waiting', old);
    const oldest = oldestWaiting(store);
    expect(await oldest()).to.equal(later);
    await add('c', later - 1, 'waiting', old);
    expect(await oldest()).to.equal(later - 1);
  });

  it('is found in rounds if there are many tenants, and is kept until the next round is over', async () => {
    for (let n = 0; n < 450; n += 1) await add(`t${String(n).padStart(3, '0')}`, n === 449 ? 1_000 : 2_000);
    const oldest = oldestWaiting(store);
    expect([await oldest(), await oldest()]).to.deep.equal([2_000, 2_000]);
    expect([await oldest(), await oldest(), await oldest()]).to.deep.equal([1_000, 1_000, 1_000]);
  });
});
