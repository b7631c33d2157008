import { expect } from 'chai';
import { batcher } from '../../src/system/batcher.js';
import { rejectionOf } from '../rejection.js';

describe('batcher', () => {
  const processed: unknown[] = [];
  let scheduled: (() => void)[] = [];
  const open = (process: (key: string, items: readonly number[]) => Promise<string>) =>
    batcher<number, string>({ schedule: (run) => scheduled.push(run), maxSize: 2, process });
  const runScheduled = (): void => {
    for (const run of scheduled.splice(0)) run();
  };

  beforeEach(() => {
    processed.length = 0;
    scheduled = [];
  });

  it('processes items of one key together, each key by itself, and full batches by themselves', async () => {
    const add = open(async (key, items) => {
      processed.push([key, ...items]);
      return `${key}: ${items.length}`;
    });
    const batched = [add('a', 1), add('b', 2), add('a', 3), add('a', 4)];
    expect(processed).to.deep.equal([]);
    runScheduled();
    expect(batched.map(({ index }) => index)).to.deep.equal([0, 0, 1, 0]);
    expect(await Promise.all(batched.map(({ result }) => result))).to.deep.equal([
      'a: 2',
      'b: 1',
      'a: 2',
      'a: 1',
    ]);
    expect(processed).to.deep.equal([
      ['a', 1, 3],
      ['b', 2],
      ['a', 4],
    ]);
  });

  it('opens another batch once the one before is being processed', async () => {
    const add = open(async (_key, items) => items.join());
    const first = add('a', 1);
    runScheduled();
    const second = add('a', 2);
    runScheduled();
    expect(await Promise.all([first.result, second.result])).to.deep.equal(['1', '2']);
  });

  it('fails all items of a batch with the error of its processing', async () => {
    const add = open(async () => {
      throw new Error('full disk');
    });
    const results = [add('a', 1), add('a', 2)].map(({ result }) => rejectionOf(result));
    runScheduled();
    for (const failure of await Promise.all(results)) expect(failure).to.match(/full disk/);
  });
});
