import { expect } from 'chai';
import { batchThread } from '../../../src/ledger/content/batch-thread.js';
import type { BatchThread } from '../../../src/ledger/content/batch-thread.js';
import { rejected } from './refused.js';

const RULE = { ldJson: false };
const DYING = new URL('dying-thread-child.js', import.meta.url);

describe('the thread of batches', () => {
  let thread: BatchThread;
  beforeEach(() => {
    thread = batchThread(DYING);
  });
  afterEach(() => thread.close());
  const run = (text: string) => thread.run(Buffer.from(text), RULE);

  it('does one batch after the other, in order', async () => {
    const order: string[] = [];
    const texts = ['a', 'b', 'c', 'd'];
    await Promise.all(texts.map(async (text) => order.push(...(await run(text)).entityIds)));
    expect(order).to.deep.equal(texts);
  });

  for (const way of ['throw', 'exit']) {
    it(`that dies (${way}) fails one batch, and is there again for the next`, async () => {
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
      expect((await run('d')).entityIds).to.deep.equal(['d']);
    });
  }

  it('that cannot be started fails a batch', async () => {
    const none = batchThread(new URL('no-such-file.js', import.meta.url));
    expect((await rejected(none.run(Buffer.from('a'), RULE))).message).to.contain('died');
    await none.close();
  });

  it('refuses batches, as unavailable, when too much waits', async () => {
    const large = Buffer.alloc(100 * 1024 ** 2);
    const hanging = rejected(run('hang'));
    const waiting = rejected(thread.run(large, RULE));
    const small = rejected(run('small'));
    expect(await rejected(thread.run(large, RULE))).to.include({ code: 'unavailable', retryAfterS: 1 });
    await thread.close();
    for (const error of [await hanging, await waiting, await small]) {
      expect(error).to.include({ code: 'unavailable' });
      expect(error.message).to.contain('stopping');
    }
  });

  it('is not needed any more once closed', async () => {
    await run('a');
    await thread.close();
    expect(await rejected(run('b'))).to.include({ code: 'unavailable' });
    await thread.close();
  });
});
