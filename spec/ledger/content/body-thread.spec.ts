import { expect } from 'chai';
import { bodyThread, type BodyThread } from '../../../src/untrusted/body-thread.js';
import type { Order } from '../../../src/ledger/content/operations.js';
import type { Operation } from '../../../src/ledger/operation.js';
import { PLAIN } from './bodies.js';
import { rejected } from './refused.js';

const DYING = new URL('dying-thread-child.js', import.meta.url);

describe('the thread of large bodies', () => {
  let thread: BodyThread<Order, Operation>;
  beforeEach(() => {
    thread = bodyThread<Order, Operation>(DYING);
  });
  afterEach(() => thread.close());
  const create = (bytes: Buffer) => ({ name: 'create', bytes, common: PLAIN }) as const;
  const run = (text: string) => thread.run(create(Buffer.from(text)));

  it('processes bodies one after the other, in order', async () => {
    const order: string[] = [];
    const texts = ['a', 'b', 'c', 'd'];
    await Promise.all(texts.map(async (text) => order.push(...(await run(text)).entities)));
    expect(order).to.deep.equal(texts.map((text) => `urn:a:${text}`));
  });

  for (const way of ['throw', 'exit']) {
    it(`that dies (${way}) fails one body, and restarts for the next`, async () => {
      const results = await Promise.allSettled([run('a'), run(way), run('b'), run(way), run('c')]);
      expect(results.map(({ status }) => status)).to.deep.equal([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      const error = await rejected(run(way));
      expect(error).not.to.have.property('code');
      expect(error.message).to.contain('died');
      expect((await run('d')).entities).to.deep.equal(['urn:a:d']);
    });
  }

  it('that cannot start fails a body', async () => {
    const none = bodyThread<Order, Operation>(new URL('no-such-file.js', import.meta.url));
    expect((await rejected(none.run(create(Buffer.from('a'))))).message).to.contain('died');
    await none.close();
  });

  it('refuses bodies as unavailable when too many bytes wait', async () => {
    const large = Buffer.alloc(100 * 1024 ** 2);
    const hanging = rejected(run('hang'));
    const waiting = rejected(thread.run(create(large)));
    const small = rejected(run('small'));
    expect(await rejected(thread.run(create(large)))).to.include({ code: 'unavailable', retryAfterS: 1 });
    await thread.close();
    for (const error of [await hanging, await waiting, await small]) {
      expect(error).to.include({ code: 'unavailable' });
      expect(error.message).to.contain('stopping');
    }
  });

  it('ends when it is closed', async () => {
    await run('a');
    await thread.close();
    expect(await rejected(run('b'))).to.include({ code: 'unavailable' });
    await thread.close();
  });
});
