import { expect } from 'chai';
import { inBatches, mapInBatches } from '../../src/system/in-batches.js';
import { rejectionOf } from '../rejection.js';

describe('in batches', () => {
  it('splits a list into batches, with a turn for other work between two of them', async () => {
    const seen: unknown[] = [];
    for await (const batch of inBatches([1, 2, 3, 4, 5], 2)) {
      seen.push(batch);
      setImmediate(() => seen.push('other work'));
    }
    expect(seen).to.deep.equal([[1, 2], 'other work', [3, 4], 'other work', [5]]);
  });

  it('splits a list by the costs of its items, of which one may be above the limit', async () => {
    const all: unknown[] = [];
    for await (const batch of inBatches([3, 1, 9, 2, 2, 1, 5], 5, (cost) => cost)) all.push(batch);
    expect(all).to.deep.equal([[3, 1], [9], [2, 2, 1], [5]]);
  });

  it('has no batch for an empty list', async () => {
    for await (const batch of inBatches([], 2)) expect.fail(`${batch.length} items`);
  });

  it('maps a list in its order, no more items at once than the size', async () => {
    let running = 0;
    let most = 0;
    const results = await mapInBatches(['a', 'b', 'c', 'd', 'e'], 2, async (item, index) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return `${item}${index}`;
    });
    expect(results).to.deep.equal(['a0', 'b1', 'c2', 'd3', 'e4']);
    expect(most).to.equal(2);
  });

  it('rejects with the first error, and starts no batch after it', async () => {
    const started: number[] = [];
    const failing = mapInBatches([1, 2, 3, 4], 2, async (item) => {
      started.push(item);
      if (item === 2) throw new Error('two');
    });
    expect(await rejectionOf(failing)).to.match(/two/);
    expect(started).to.deep.equal([1, 2]);
  });
});
