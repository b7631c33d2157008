import { expect } from 'chai';
import fc from 'fast-check';
import { Unreadable } from '../../src/actors/behavior.js';
import { readableKinds, readableOnly } from '../../src/actors/reading.js';
import { pages } from '../../src/store/paging.js';
import { create } from '../store/documents.js';
import { holdCommits, memoryStore } from './stage/memory-store.js';
import { idOf, nodes, tally } from './stage/nodes.js';
import { rejection } from './stage/queue.js';
import type { TallyContext } from './stage/tally.js';

const same = (old: unknown): never => old as never;

describe('a store without what cannot be read', () => {
  it('has the documents of known kinds, of their version or of an older one that is migrated', () => {
    const isReadable = readableKinds([
      { name: 'plain', version: 2 },
      { name: 'migrating', version: 2, migrate: same },
    ]);
    const read = ['plain', 'migrating', 'other'].map((kind) =>
      [1, 2, 3].map((version) => isReadable(kind, version)),
    );
    expect(read).to.deep.equal([
      [false, true, false],
      [true, true, false],
      [false, false, false],
    ]);
  });

  it('lists in pages of the same length, and misses and repeats none', async () => {
    const versions = fc.array(fc.constantFrom(1, 2), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(versions, fc.integer({ min: 1, max: 7 }), async (all, limit) => {
        const whole = memoryStore();
        const name = (i: number): string => `k/t/${String(i).padStart(2, '0')}`;
        for (const [i, version] of all.entries()) await create(whole, name(i), { version });
        const store = readableOnly(whole, (_kind, version) => version === 1);
        const found: string[] = [];
        for await (const page of pages((after) => store.list({ kind: 'k', after, limit }))) {
          expect(page.length).to.be.within(1, limit);
          found.push(...page.map(({ id }) => id));
        }
        const readable = all.flatMap((version, i) => (version === 1 ? [name(i)] : []));
        expect(found).to.deep.equal(readable);
        const first = await store.list({ kind: 'k', limit });
        expect(first.items.length).to.equal(Math.min(limit, readable.length));
        for (const [i, version] of all.entries())
          expect((await store.load(name(i))) === undefined).to.equal(version === 2);
      }),
      { numRuns: 60 },
    );
  });
});

for (const shared of [false, true]) {
  describe(`what is committed of an actor, on ${shared ? 'a shared' : 'an unshared'} store`, () => {
    const start = nodes();

    it('is read without a commit that is under way', async () => {
      const store = memoryStore({ shared });
      const node = start({ store });
      await node.ask('a', { type: 'add', amount: 1 });
      const held = holdCommits(store);
      const added = node.ask('a', { type: 'add', amount: 1 });
      const commit = await held.next();
      const count = async () => (await node.actors.readCommitted<TallyContext>(tally('a')))?.count;
      expect(await count()).to.equal(1);
      commit.pass();
      await added;
      expect(await count()).to.equal(2);
    });

    it('is nothing before the first commit', async () => {
      const node = start({ store: memoryStore({ shared }) });
      expect(await node.actors.readCommitted(tally('a'))).to.equal(undefined);
    });

    it('is refused, and a fault, if this release cannot read the document', async () => {
      const store = memoryStore({ shared });
      await create(store, idOf('a'), { version: 99 });
      const node = start({ store });
      const error = await rejection(node.actors.readCommitted(tally('a')));
      expect(error).to.be.instanceOf(Unreadable);
      const fault = { what: 'poison', id: idOf('a'), revision: 1, type: 'load', error };
      expect(await node.faults.next()).to.deep.equal(fault);
    });
  });
}
