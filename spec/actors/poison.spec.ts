import { expect } from 'chai';
import { FIRST, holdCommits, memoryStore } from './stage/memory-store.js';
import { idOf, nodes, tally } from './stage/nodes.js';
import { rejection } from './stage/queue.js';

describe('an event that makes a machine throw', () => {
  const start = nodes();

  it('fails alone; the other events of its batch are carried out', async () => {
    const store = memoryStore();
    const node = start({ store });
    const [before, thrown, after] = await Promise.all([
      node.ask('a', { type: 'add', amount: 1 }),
      rejection(node.ask('a', { type: 'throw' })),
      node.ask('a', { type: 'add', amount: 1 }),
    ]);
    expect([before, thrown.message, after]).to.deep.equal([1, 'broken on purpose', 2]);
    expect(store.calls).to.have.length(1);
  });

  it('leaves the committed state, and is a fault with id, revision and type', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 1 });
    await node.ask('a', { type: 'add', amount: 1 });
    const error = await rejection(node.ask('a', { type: 'throw' }));
    expect(await node.faults.next()).to.deep.equal({
      what: 'poison',
      id: idOf('a'),
      revision: FIRST + 1,
      type: 'throw',
      error,
    });
    expect(store.documents.get(idOf('a'))).to.have.property('revision', FIRST + 1);
    expect(await node.ask('a', { type: 'add', amount: 1 })).to.equal(3);
  });

  it('is answered once the other events of its batch are durable', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const node = start({ store });
    const added = rejection(node.ask('a', { type: 'add', amount: 1 }));
    const thrown = rejection(node.ask('a', { type: 'throw' }));
    (await held.next()).vanish(false);
    expect([(await added).name, (await thrown).name]).to.deep.equal(['StoreUnavailable', 'StoreUnavailable']);
  });

  it('does no harm to another actor', async () => {
    const node = start({ store: memoryStore() });
    const thrown = rejection(node.ask('a', { type: 'throw' }));
    expect(await node.ask('b', { type: 'add', amount: 1 })).to.equal(1);
    expect((await thrown).message).to.equal('broken on purpose');
  });
});

describe('an event whose outcome cannot be stored', () => {
  const start = nodes();

  it('fails alone if JSON cannot express it, on an actor in memory and on one just loaded', async () => {
    const node = start({ store: memoryStore() });
    for (const count of [1, 3]) {
      const [before, spoilt, after] = await Promise.all([
        node.ask('a', { type: 'add', amount: 1 }),
        rejection(node.ask('a', { type: 'spoil' })),
        node.ask('a', { type: 'add', amount: 1 }),
      ]);
      expect([before, after]).to.deep.equal([count, count + 1]);
      expect(spoilt).to.be.instanceOf(TypeError);
      expect(await node.faults.next()).to.deep.include({ what: 'poison', id: idOf('a'), type: 'spoil' });
    }
  });

  it('fails alone if the store refuses a whole call because of it', async () => {
    const store = memoryStore();
    store.between.commit = (batch, apply) =>
      batch.some(({ id }) => id === idOf('too-long'))
        ? Promise.reject(new RangeError('the id is too long'))
        : Promise.resolve(apply());
    const node = start({ store });
    const told = await Promise.all([
      node.ask('a', { type: 'add', amount: 1 }),
      rejection(node.ask('too-long', { type: 'add', amount: 1 })),
      node.ask('b', { type: 'add', amount: 1 }),
    ]);
    expect(told.map((answer) => (answer instanceof Error ? answer.message : answer))).to.deep.equal([
      1,
      'the id is too long',
      1,
    ]);
    expect(await node.faults.next()).to.deep.include({ what: 'poison', id: idOf('too-long'), revision: 0 });
    expect(await node.look('too-long')).to.equal(undefined);
  });
});

describe('a document that cannot be read', () => {
  const start = nodes();
  const sound = {
    revision: 4,
    version: 3,
    state: 'counting',
    wakeAt: undefined,
    commitId: 'x',
    frequent: '{"count":1,"added":[1],"outbox":[]}',
    rare: '{"notes":[]}',
  };

  for (const [what, broken, why] of [
    ['is cut short', { frequent: sound.frequent.slice(0, 9) }, 'JSON'],
    ['has a rarely written part that is cut short', { rare: '{"no' }, 'JSON'],
    ['has lost its outbox', { frequent: '{"count":1}' }, 'it has no outbox'],
    ['is in a state that the machine does not have', { state: 'sleeping' }, 'sleeping'],
  ] as const) {
    it(`fails the request only, and stays as it is, where it ${what}`, async () => {
      const store = memoryStore();
      const stored = { ...sound, ...broken };
      store.documents.set(idOf('a'), stored);
      const node = start({ store });
      const [error, also, well] = await Promise.all([
        rejection(node.ask('a', { type: 'add', amount: 1 })),
        rejection(node.actors.read(tally('a'))),
        node.ask('b', { type: 'add', amount: 1 }),
      ]);
      expect(error.message).to.match(/^revision 4 of a tally, of version 3, cannot be read by version 3: /);
      expect(error.message).to.include(why);
      expect([also, well]).to.deep.equal([error, 1]);
      expect(await node.faults.next()).to.deep.equal({
        what: 'poison',
        id: idOf('a'),
        revision: 4,
        type: 'load',
        error,
      });
      expect(store.documents.get(idOf('a'))).to.equal(stored);
    });
  }

  it('is read again once it is repaired', async () => {
    const store = memoryStore();
    store.documents.set(idOf('a'), { ...sound, frequent: '' });
    const node = start({ store });
    await rejection(node.ask('a', { type: 'add', amount: 1 }));
    store.documents.set(idOf('a'), sound);
    expect(await node.ask('a', { type: 'add', amount: 1 })).to.equal(2);
  });
});
