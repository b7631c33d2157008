import { expect } from 'chai';
import { findServers } from '../../../src/console/views/server-search.js';
import { memoryStore } from '../../actors/stage/memory-store.js';

describe('a search that takes longer than its budget', () => {
  it('stops with `next`, and goes on there', async () => {
    const store = memoryStore();
    const names = Array.from({ length: 50 }, (_, i) => `s-${String(i).padStart(2, '0')}`);
    for (const name of names) {
      store.documents.set(`server/t/${name}`, {
        revision: 1,
        version: 1,
        state: 'unwatched',
        wakeAt: undefined,
        frequent: '{}',
        rare: '{}',
        commitId: name,
      });
    }
    let clock = 0;
    const search = { query: '9', tenant: undefined, limit: 10 };
    const budget = { pageSize: 10, ms: 20 };
    const tick = (): number => (clock += 10);
    const first = await findServers(store, { ...search, after: undefined }, tick, budget);
    expect(first.servers.map(({ serverId }) => serverId)).to.deep.equal(['s-09', 's-19']);
    expect(first.next).to.equal('server/t/s-19');
    const rest = await findServers(store, { ...search, after: first.next! }, () => 0, budget);
    expect(rest.servers.map(({ serverId }) => serverId)).to.deep.equal(['s-29', 's-39', 's-49']);
    expect(rest.next).to.equal(null);
  });
});
