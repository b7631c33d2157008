import { expect } from 'chai';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import { withUnkeptTimes } from '../../../src/policy/windows/told-times.js';
import {
  EMPTY_WINDOWS,
  lastArrival,
  shrink,
  slide,
  toldOf,
  withOnly,
} from '../../../src/policy/windows/window.js';
import type { Windows } from '../../../src/policy/windows/window.js';

const GAP = 300_000;
const NOON = Date.UTC(2026, 0, 15, 12);

describe('values without a window', () => {
  /** A request with one measurement. */
  const slideOnly = (
    windows: Windows,
    measures: Measures,
    times: Measures,
    extras: string[] = [],
  ): Windows => {
    const slid = slide(windows, { measures, times }, NOON, { size: 3, gapMs: GAP, extras });
    return withUnkeptTimes(slid, [{ measures, times }], extras, undefined);
  };

  const untimed = (windows: Windows, measures: Measures, now: number): Windows =>
    slide(windows, { measures }, now, { size: 3, gapMs: GAP, extras: [] });

  it('leave the time at which they came', () => {
    const before = untimed(EMPTY_WINDOWS, { cpu: 1 }, NOON - 5000);
    expect(lastArrival(untimed(before, { queue: 1 }, NOON))).to.equal(NOON);
    expect(lastArrival(shrink(untimed(before, { queue: 1 }, NOON), 1))).to.equal(NOON);
  });

  it('leave the times that came with them, as the windows do that are removed', () => {
    const one = slideOnly(EMPTY_WINDOWS, { queue: 1, cpu: 1 }, { queue: 7, cpu: 7 });
    expect([toldOf(one, 'queue'), toldOf(one, 'cpu'), toldOf(one, 'heat')]).to.deep.equal([7, 7, undefined]);
    const two = slideOnly(one, { queue: 2, heat: 2 }, { queue: 8, heat: 9 }, ['queue', 'heat']);
    expect(two.others?.['queue']).to.deep.equal({ values: [2], at: NOON, told: 8 });
    const three = withOnly(two, ['heat']);
    expect(three.others).to.have.keys('heat');
    expect([toldOf(three, 'queue'), toldOf(three, 'heat'), lastArrival(three)]).to.deep.equal([8, 9, NOON]);
    const four = withOnly(three, []);
    expect([toldOf(four, 'queue'), toldOf(four, 'heat')]).to.deep.equal([8, 9]);
  });

  it('leave the times of the 256 metrics that came last', () => {
    const [first, ...later] = Array.from({ length: 257 }, (_, i) => `m${i}`);
    const windows = [first!, ...later].reduce(
      (before, metric) => slideOnly(before, { [metric]: 1 }, { [metric]: 5 }),
      EMPTY_WINDOWS,
    );
    expect(toldOf(windows, first!)).to.equal(undefined);
    expect(later.map((metric) => toldOf(windows, metric))).to.deep.equal(later.map(() => 5));
  });

  it('are copied once for each request, not for each of its measurements', () => {
    const before = slideOnly(EMPTY_WINDOWS, { queue: 1 }, { queue: 7 });
    const settings = { size: 3, gapMs: GAP, extras: [] };
    const measurements = [8, 9].map((time) => ({ measures: { queue: 1 }, times: { queue: time } }));
    const slid = measurements.reduce((windows, one) => slide(windows, one, NOON, settings), before);
    expect(slid.unkept?.told).to.equal(before.unkept?.told);
    expect(toldOf(withUnkeptTimes(slid, measurements, [], undefined), 'queue')).to.equal(9);
    expect(withUnkeptTimes(before, [{ measures: { queue: 1 } }], [], undefined)).to.equal(before);
  });
});
