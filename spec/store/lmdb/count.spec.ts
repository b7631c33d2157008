import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import type { Store } from '../../../src/store/port.js';
import { creation } from '../documents.js';

/** More than two steps of a count, and not a multiple of a step. */
const MANY = 40_001;

describe('a count of many documents', () => {
  let folder: string;
  let store: Store;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-'));
    store = await openLmdb({ folder });
    const name = (n: number): string => `k/t/${String(n).padStart(6, '0')}`;
    const all = Array.from({ length: MANY }, (_, n) => creation(name(n), { state: 'waiting' }));
    for (let i = 0; i < MANY; i += 5_000) await store.commit(all.slice(i, i + 5_000));
  });
  after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('is exact, whatever the limit', async () => {
    for (const query of [{ kind: 'k' }, { kind: 'k', state: 'waiting' }]) {
      for (const limit of [19_999, 20_000, 20_001, 40_000, MANY, MANY + 1, 1_000_000])
        expect(await store.count({ ...query, limit }), String(limit)).to.equal(Math.min(limit, MANY));
    }
  });

  it('lets other work run after each 20,000 documents', async () => {
    let turns = 0;
    let counting = true;
    const turn = (): void => {
      turns += 1;
      if (counting) setImmediate(turn);
    };
    setImmediate(turn);
    await store.count({ kind: 'k', state: 'waiting', limit: 1_000_000 });
    counting = false;
    expect(turns).to.be.at.least(2);
  });
});
