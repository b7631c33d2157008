import { expect } from 'chai';
import { type Kept, kept } from '../../src/system/ttl-cache.js';
import { rejectionOf } from '../identity/rejection.js';

describe('what is kept for a moment', () => {
  let now: number;
  let made: string[];
  let values: Kept<string>;

  beforeEach(() => {
    now = 0;
    made = [];
    values = kept({ ttlMs: 1_000, max: 2, now: () => now });
  });

  const get = (key: string): Promise<string> =>
    values.get(key, async () => {
      made.push(key);
      return `${key}${made.length}`;
    });

  it('is made once for all who ask, until it is too old', async () => {
    expect(await Promise.all([get('a'), get('a')])).to.deep.equal(['a1', 'a1']);
    now = 999;
    expect(await get('a')).to.equal('a1');
    now = 1_000;
    expect(await get('a')).to.equal('a2');
  });

  it('is made again once it is forgotten', async () => {
    await get('a');
    values.forget('a');
    expect(await get('a')).to.equal('a2');
  });

  it('makes room for newer values, the oldest first', async () => {
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await get(key);
    expect(made).to.deep.equal(['a', 'b', 'c', 'a']);
  });

  it('is no failure', async () => {
    const failing = values.get('a', async () => {
      throw new Error('not now');
    });
    expect(await rejectionOf(failing)).to.match(/not now/);
    expect(await get('a')).to.equal('a1');
  });

  it('outlives the failure of one that it has replaced', async () => {
    let fail: (error: Error) => void = () => undefined;
    const failing = values.get('a', () => new Promise((_, reject) => (fail = reject)));
    values.forget('a');
    await get('a');
    fail(new Error('too late'));
    await rejectionOf(failing);
    expect(await get('a')).to.equal('a1');
  });
});
