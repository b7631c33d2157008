import { expect } from 'chai';
import fc from 'fast-check';
import { WeightedQueue } from '../../src/actors/weighted-queue.js';

describe('a queue that is shared by weight', () => {
  it('is shared out by weight if it has more than is taken, and each kind gets something', () => {
    const queue = new WeightedQueue<string>();
    for (let i = 0; i < 100; i += 1)
      for (const [kind, weight] of [
        ['a', 1],
        ['b', 3],
        ['c', 1],
      ] as const)
        queue.push(kind, 'one', weight, kind);
    const taken = queue.take(20);
    const of = (kind: string): number => taken.filter((one) => one === kind).length;
    expect([of('a'), of('b'), of('c')]).to.deep.equal([4, 12, 4]);
    expect(taken[0], 'heavier ones first').to.equal('b');
  });

  it('is taken as a whole if it fits', () => {
    const queue = new WeightedQueue<number>();
    for (let i = 0; i < 10; i += 1) queue.push('kind', i < 9 ? 'many' : 'one', 1, i);
    expect(queue.take(10)).to.have.length(10);
    expect(queue.size).to.equal(0);
  });

  it('takes kinds in turn if there is no room for one item of each', () => {
    const queue = new WeightedQueue<string>();
    for (const kind of ['a', 'b', 'c']) for (let i = 0; i < 10; i += 1) queue.push('kind', kind, 1, kind);
    expect(new Set([0, 1, 2].flatMap(() => queue.take(1)))).to.have.property('size', 3);
  });

  it('counts what it still has, by line', () => {
    const queue = new WeightedQueue<number>();
    for (let i = 0; i < 10; i += 1) queue.push('kind', 'many', 1, i);
    queue.push('other', 'many', 1, 10);
    queue.take(3, new Set(['kind/many']));
    expect([...queue.sizes()]).to.deep.equal([
      ['kind/many', 7],
      ['other/many', 1],
    ]);
  });

  const step = fc.oneof(
    fc.record({ push: fc.constantFrom('a', 'b', 'c'), times: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ take: fc.integer({ min: 1, max: 30 }) }),
  );

  it('gives each item once, in order of arrival within its kind', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const queue = new WeightedQueue<readonly [string, number]>();
        const pushed = { a: 0, b: 0, c: 0 } as Record<string, number>;
        const taken = { a: 0, b: 0, c: 0 } as Record<string, number>;
        const count = (all: Record<string, number>): number => all['a']! + all['b']! + all['c']!;
        for (const one of [...steps, { take: 10_000 }]) {
          if ('push' in one) {
            for (let i = 0; i < one.times; i += 1)
              queue.push(one.push === 'c' ? 'x' : 'y', one.push, one.push === 'b' ? 3 : 1, [
                one.push,
                pushed[one.push]!++,
              ]);
          } else {
            const before = queue.size;
            const all = queue.take(one.take);
            expect(all).to.have.length(Math.min(one.take, before));
            for (const [kind, number] of all) expect(number).to.equal(taken[kind]!++);
          }
          expect(queue.size).to.equal(count(pushed) - count(taken));
          expect(queue.sizeOf('x')).to.equal(pushed['c']! - taken['c']!);
          expect(queue.sizeOf('x') + queue.sizeOf('y')).to.equal(queue.size);
        }
        expect(taken).to.deep.equal(pushed);
      }),
    );
  });
});
