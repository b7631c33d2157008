import { expect } from 'chai';
import fc from 'fast-check';
import { settled, slide } from '../../../src/policy/windows/slide.js';
import {
  EMPTY_WINDOWS,
  shrink,
  windowOf,
  resized,
  smallestSince,
  type WindowSize,
} from '../../../src/policy/windows/window.js';

const START: WindowSize = { size: 5, version: 0, lows: [] };
const after = (...sizes: number[]): WindowSize => sizes.reduce(resized, START);

type Step = { readonly resize: number } | { readonly fact: number };

const steps = fc.array(
  fc.oneof(
    fc.record({ resize: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ fact: fc.integer({ min: 0, max: 100 }) }),
  ),
  { maxLength: 60 },
);

/** A server to which every change is applied at once. */
function eager(history: readonly Step[]): number[] {
  let size = START.size;
  let values: number[] = [];
  for (const step of history) {
    if ('resize' in step) size = step.resize;
    else values.push(step.fact);
    values = values.slice(-size);
  }
  return values;
}

/** A server that learns of the changes with its facts only. */
function lazy(history: readonly Step[]): readonly number[] {
  let tenant = START;
  let seen = 0;
  let windows = EMPTY_WINDOWS;
  const catchUp = () => {
    windows = shrink(windows, smallestSince(tenant, seen));
    seen = tenant.version;
  };
  for (const [now, step] of history.entries()) {
    if ('resize' in step) {
      tenant = JSON.parse(JSON.stringify(resized(tenant, step.resize))) as WindowSize;
      continue;
    }
    catchUp();
    const slid = slide(windows, { measures: { cpu: step.fact } }, now, {
      size: tenant.size,
      gapMs: 0,
      tracked: ['cpu'],
    });
    windows = settled(slid);
  }
  catchUp();
  return windowOf(windows, 'cpu').values;
}

describe('the window size of a tenant', () => {
  it('is that of the last change', () => {
    expect(after().size).to.equal(5);
    expect(after(9, 2, 7).size).to.equal(7);
    expect(after(9, 2, 7).version).to.equal(3);
  });

  it('is the smallest of the missed changes for a server that missed some', () => {
    expect(smallestSince(after(2, 7), 0)).to.equal(2);
    expect(smallestSince(after(2, 7), 1)).to.equal(7);
    expect(smallestSince(after(2, 7), 2)).to.equal(7);
    expect(smallestSince(after(4, 2, 3, 6), 0)).to.equal(2);
    expect(smallestSince(after(4, 2, 3, 6), 2)).to.equal(3);
    expect(smallestSince(after(4, 4), 0)).to.equal(4);
  });

  it('is the current one for a server that is ahead of this node', () => {
    expect(smallestSince(after(2, 7), 5)).to.equal(7);
    expect(smallestSince(START, 0)).to.equal(5);
  });

  it('keeps the same values for a server that missed several changes as for one that saw each', () => {
    fc.assert(
      fc.property(steps, (history) => {
        expect(lazy(history)).to.deep.equal(eager(history));
      }),
      { numRuns: 1000 },
    );
  });

  it('stores at most one change per size', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 100 }), (sizes) => {
        const { lows } = after(...sizes);
        expect(lows.length).to.be.at.most(6);
        expect(new Set(lows.map(([, size]) => size)).size).to.equal(lows.length);
      }),
    );
  });

  it('does not change the previous window size', () => {
    const before = after(4, 2);
    const copy = structuredClone(before);
    resized(before, 1);
    expect(before).to.deep.equal(copy);
  });
});
