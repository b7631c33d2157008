import { expect } from 'chai';
import { FIRST, memoryStore } from './stage/memory-store.js';
import { idOf, nodes, START } from './stage/nodes.js';

describe('a wake-up at another time than the machine’s', () => {
  const start = nodes();

  it('postpones nothing if it was sent before the machine’s time, which has come meanwhile', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'sleep', until: START + 1_000 });
    node.clock.now = START + 1_000;
    await node.ask('a', { type: 'wake', now: START + 999 });
    expect(store.documents.get(idOf('a'))).to.include({ wakeAt: START + 1_000 });
  });

  it('postpones nothing if a later event of the same batch sets a time that is over', async () => {
    const store = memoryStore();
    await start({ store }).ask('a', { type: 'sleep', until: START + 60_000 });
    const node = start({ store, clock: { now: START + 1_000 } });
    // Both wait for the load of the actor and form one batch.
    await Promise.all([
      node.ask('a', { type: 'wake' }),
      node.ask('a', { type: 'sleep', until: START + 1_000 }),
    ]);
    expect(store.documents.get(idOf('a'))).to.include({ wakeAt: START + 1_000, revision: FIRST + 1 });
  });
});
