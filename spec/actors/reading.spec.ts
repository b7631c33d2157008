import { expect } from 'chai';
import fc from 'fast-check';
import { readableKinds, readableOnly } from '../../src/actors/reading.js';
import { pages } from '../../src/store/paging.js';
import { create } from '../store/documents.js';
import { memoryStore } from './stage/memory-store.js';

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
