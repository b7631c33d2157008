import { expect } from 'chai';
import type { CommitChange } from '../../src/actors/runtime.js';
import { memoryStore } from './stage/memory-store.js';
import { idOf, nodes, tally } from './stage/nodes.js';
import type { TallyContext } from './stage/tally.js';

describe('the hook for commits', () => {
  const start = nodes();

  /** Starts a node that notes the count before and after each commit. */
  function watched(store = memoryStore()) {
    const seen: { readonly from: number | undefined; readonly to: number; readonly state: string }[] = [];
    const onCommit = ({ address, before, after }: CommitChange): void => {
      expect(address).to.deep.equal(tally('a'));
      const count = (part: typeof after): number => (part.context as TallyContext).count;
      seen.push({ from: before && count(before), to: count(after), state: after.state });
    };
    return { node: start({ store, onCommit }), seen, store };
  }

  it('is called after each commit with the actor before and after, and not for what changes nothing', async () => {
    const { node, seen } = watched();
    await node.ask('a', { type: 'add', amount: 1 });
    await node.look('a');
    await node.ask('a', { type: 'wake' });
    // The first is a commit of its own; the others wait for it and share one.
    await Promise.all([2, 3, 4].map((amount) => node.ask('a', { type: 'add', amount })));
    await node.ask('a', { type: 'remove' });
    await node.ask('a', { type: 'add', amount: 7 });
    expect(seen).to.deep.equal([
      { from: undefined, to: 1, state: 'counting' },
      { from: 1, to: 3, state: 'counting' },
      { from: 3, to: 10, state: 'counting' },
      { from: 10, to: 10, state: 'gone' },
      { from: undefined, to: 7, state: 'counting' },
    ]);
  });

  it('is called before the sender has the reply', async () => {
    const { node, seen } = watched();
    const calls = await node.ask('a', { type: 'add', amount: 1 }).then(() => seen.length);
    expect(calls).to.equal(1);
  });

  it('is called once for a commit, on the node that won it', async () => {
    const store = memoryStore({ shared: true });
    const [one, other] = [watched(store), watched(store)];
    await one.node.ask('a', { type: 'add', amount: 1 });
    await other.node.ask('a', { type: 'add', amount: 2 });
    // Its copy in memory is old: the first commit is lost, and the second one follows from the document.
    await one.node.ask('a', { type: 'add', amount: 4 });
    expect(other.seen).to.deep.equal([{ from: 1, to: 3, state: 'counting' }]);
    expect(one.seen).to.deep.equal([
      { from: undefined, to: 1, state: 'counting' },
      { from: 3, to: 7, state: 'counting' },
    ]);
  });

  it('harms nobody if it throws', async () => {
    const onCommit = (): void => {
      throw new Error('the hook is broken');
    };
    const node = start({ store: memoryStore(), onCommit });
    expect(await node.ask('a', { type: 'add', amount: 1 })).to.equal(1);
    await node.ask('a', { type: 'post', parcel: 'p' });
    expect((await node.carried.next()).id).to.equal('p');
    const { error, ...where } = await node.faults.next();
    expect(where).to.deep.equal({ what: 'hook', id: idOf('a') });
    expect((error as Error).message).to.equal('the hook is broken');
  });
});
