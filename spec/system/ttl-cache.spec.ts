import { expect } from 'chai';
import { cachedValue, singleFlight, type TtlCache, ttlCache } from '../../src/system/ttl-cache.js';
import { rejectionOf } from '../rejection.js';

describe('TTL cache', () => {
  let now: number;
  let loaded: string[];
  let cache: TtlCache<string>;

  beforeEach(() => {
    now = 0;
    loaded = [];
    cache = ttlCache({ ttlMs: 1_000, max: 2, now: () => now });
  });

  const get = (key: string): Promise<string> =>
    cache.get(key, async () => {
      loaded.push(key);
      return `${key}${loaded.length}`;
    });

  it('loads a value once for concurrent callers, and again after its lifetime', async () => {
    expect(await Promise.all([get('a'), get('a')])).to.deep.equal(['a1', 'a1']);
    now = 999;
    expect(await get('a')).to.equal('a1');
    now = 1_000;
    expect(await get('a')).to.equal('a2');
  });

  it('loads a value again if the clock was set back since', async () => {
    now = 5_000;
    expect(await get('a')).to.equal('a1');
    now = 4_999;
    expect(await get('a')).to.equal('a2');
    now = 5_998;
    expect(await get('a')).to.equal('a2');
    now = 5_999;
    expect(await get('a')).to.equal('a3');
  });

  it('counts the lifetime from the start of the load', async () => {
    await cache.get('a', async () => {
      now = 400;
      return 'early';
    });
    now = 1_000;
    expect(await get('a')).to.equal('a1');
  });

  it('loads a value again after it was deleted', async () => {
    await get('a');
    cache.delete('a');
    expect(await get('a')).to.equal('a2');
  });

  it('keeps a newer value when an older one is deleted by its value', async () => {
    await get('a');
    cache.delete('a', 'older');
    expect(await get('a')).to.equal('a1');
    cache.delete('a', 'a1');
    expect(await get('a')).to.equal('a2');
  });

  it('keeps a load in flight when an older value is deleted by its value', async () => {
    const loads = [get('a')];
    cache.delete('a', 'older');
    loads.push(get('a'));
    expect(await Promise.all(loads)).to.deep.equal(['a1', 'a1']);
  });

  it('drops the least recently used value of too many', async () => {
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await get(key);
    expect(loaded).to.deep.equal(['a', 'b', 'c', 'a']);
    await get('c');
    await get('b');
    await get('c');
    expect(loaded).to.deep.equal(['a', 'b', 'c', 'a', 'b']);
  });

  it('drops no value for one that has already ended', async () => {
    const ends = ttlCache<number>({ ttlMs: 1_000, expiresAt: (end) => end, max: 1, now: () => 100 });
    await ends.get('valid', async () => 200);
    for (const key of ['a', 'b']) await ends.get(key, async () => 50);
    expect(await ends.get('valid', async () => 300)).to.equal(200);
  });

  it('does not cache a failure', async () => {
    const failing = cache.get('a', async () => {
      throw new Error('not now');
    });
    expect(await rejectionOf(failing)).to.match(/not now/);
    expect(await get('a')).to.equal('a1');
  });

  it('keeps a value when an older, deleted load fails', async () => {
    let fail: (error: Error) => void = () => undefined;
    const failing = cache.get('a', () => new Promise((_, reject) => (fail = reject)));
    cache.delete('a');
    await get('a');
    fail(new Error('too late'));
    await rejectionOf(failing);
    expect(await get('a')).to.equal('a1');
  });

  it('keeps a value when an older, deleted load succeeds', async () => {
    let succeed: (value: string) => void = () => undefined;
    const slow = cache.get('a', () => new Promise((resolve) => (succeed = resolve)));
    cache.delete('a');
    await get('a');
    succeed('too late');
    expect(await slow).to.equal('too late');
    expect(await get('a')).to.equal('a1');
  });

  it('ends at the value’s own end if that is earlier', async () => {
    const ends = ttlCache<number>({ ttlMs: 1_000, expiresAt: (end) => end, max: 2, now: () => now });
    let loads = 0;
    const load = async (): Promise<number> => [500, 0, 5_000][loads++]!;
    expect(await ends.get('a', load)).to.equal(500);
    now = 499;
    expect(await ends.get('a', load)).to.equal(500);
    now = 500;
    expect(await ends.get('a', load), 'a value that has ended is returned').to.equal(0);
    expect(await ends.get('a', load), 'but not cached').to.equal(5_000);
    now = 1_500;
    await ends.get('a', load);
    expect(loads).to.equal(4);
  });
});

describe('cached value', () => {
  it('is loaded on first use, and again after its lifetime or its deletion', async () => {
    let now = 0;
    let loads = 0;
    const value = cachedValue({ ttlMs: 10, now: () => now, load: async () => (loads += 1) });
    expect(loads).to.equal(0);
    expect([await value.get(), await value.get()]).to.deep.equal([1, 1]);
    now = 10;
    expect(await value.get()).to.equal(2);
    value.delete(1);
    expect(await value.get()).to.equal(2);
    value.delete(2);
    expect(await value.get()).to.equal(3);
  });
});

describe('single flight', () => {
  it('shares one run between callers of a key until it ends, whatever its outcome', async () => {
    const flight = singleFlight<number>();
    let runs = 0;
    const run = async (): Promise<number> => {
      runs += 1;
      if (runs === 2) throw new Error('second');
      return runs;
    };
    expect(await Promise.all([flight('a', run), flight('a', run)])).to.deep.equal([1, 1]);
    const failures = [flight('a', run), flight('a', run)].map(rejectionOf);
    for (const failure of await Promise.all(failures)) expect(failure).to.match(/second/);
    expect(await Promise.all([flight('a', run), flight('b', run)])).to.deep.equal([3, 4]);
  });
});
