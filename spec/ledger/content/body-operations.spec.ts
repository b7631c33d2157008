import { expect } from 'chai';
import { createBodyOperations } from '../../../src/ledger/content/body-operations.js';
import { createOperation, type Order, updateOperation } from '../../../src/ledger/content/operations.js';
import { PLAIN } from './bodies.js';
import { rejected } from './refused.js';

const LARGE = 'x'.repeat(100_000);
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('a large entity', () => {
  const operations = createBodyOperations();
  after(() => operations.close());
  const common = { ...PLAIN, tenant: 'shop', link: '<x>' };
  const of = (name: 'create' | 'update', body: unknown, more: Partial<Order> = {}) => {
    const bytes = bytesOf(body);
    return operations.of({ name, entityId: 'urn:a:1', bytes, common, ...more });
  };

  it('becomes the same operation as a small one', async () => {
    const entity = { id: 'urn:a:1', type: 'T', speed: { type: 'Property', value: LARGE } };
    expect(await of('create', entity)).to.deep.equal(createOperation(entity, common));
    const { id: _, ...fragment } = entity;
    expect(await of('update', fragment)).to.deep.equal(updateOperation('urn:a:1', fragment, common));
  });

  it('is refused for the same faults, with all of them', async () => {
    const bad = { id: 'x', type: 7, speed: { type: 'Property' }, text: LARGE };
    const small = await rejected(of('create', { ...bad, text: '' }));
    const large = await rejected(of('create', bad));
    expect(large).to.include({ code: 'bad-request', message: small.message });
    expect(large.message).to.match(/id: .*; type: .*; speed.value: /);
  });

  it('is refused unless it is JSON, not too deep, and without a Link for JSON-LD', async () => {
    const cut = Buffer.from(`{"id":"${LARGE}`);
    expect(await rejected(of('create', {}, { bytes: cut }))).to.include({ code: 'unreadable' });
    const deep = Buffer.from(`{"id":"urn:a:1","text":"${LARGE}","a":${'['.repeat(501)}${']'.repeat(501)}}`);
    expect(await rejected(of('create', {}, { bytes: deep }))).to.include({ code: 'bad-request' });
    const linked = of('update', { a: LARGE, '@context': [] }, { common: { ...common, ldJson: true } });
    expect((await rejected(linked)).message).to.match(/^Link: must be left out/);
  });

  it('does not block the event loop while it is checked and hashed', async () => {
    const members = Object.fromEntries(
      Array.from({ length: 40_000 }, (_, i) => [`m${i}`, { type: 'Property', value: i }]),
    );
    await of('create', { id: 'urn:a:1', type: 'T', text: LARGE });
    const bytes = bytesOf({ id: 'urn:a:1', type: 'T', ...members });
    /** Share of the time that the longest turn of the event loop takes. */
    const longestShare = async (): Promise<number> => {
      const startedAt = performance.now();
      const done = of('create', {}, { bytes });
      let [turns, longest, last] = [0, 0, startedAt];
      const watch = { over: false };
      void done.finally(() => (watch.over = true));
      while (!watch.over) {
        await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }
      expect((await done).entities).to.deep.equal(['urn:a:1']);
      expect(turns).to.be.above(5);
      return longest / (last - startedAt);
    };
    // Work on the main thread would be nearly all of one turn, each time. A busy machine may hold up one of them.
    const shares = [await longestShare(), await longestShare(), await longestShare()];
    expect(Math.min(...shares), shares.join()).to.be.below(0.7);
  });
});
