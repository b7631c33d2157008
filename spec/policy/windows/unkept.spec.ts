import { expect } from 'chai';
import type { Measures, Metric } from '../../../src/policy/rules/metrics.js';
import type { MetricTimes } from '../../../src/policy/windows/arrival.js';
import { settled, slide } from '../../../src/policy/windows/slide.js';
import { withUnkept } from '../../../src/policy/windows/unkept.js';
import {
  arrivalOf,
  EMPTY_WINDOWS,
  lastArrival,
  shrink,
  type Windows,
  withOnly,
} from '../../../src/policy/windows/window.js';

const GAP = 300_000;
const NOON = Date.UTC(2026, 0, 15, 12);

describe('values without a window', () => {
  /** A request with one measurement. */
  const slideOnly = (
    windows: Windows,
    measures: Measures,
    times: MetricTimes,
    extras: Metric[] = [],
  ): Windows => {
    const slid = slide(windows, { measures, times }, NOON, { size: 3, gapMs: GAP, extras });
    return withUnkept(settled(slid), [{ measures, times }], extras, { now: NOON, isWatched: false });
  };

  const untimed = (windows: Windows, measures: Measures, now: number): Windows =>
    settled(slide(windows, { measures }, now, { size: 3, gapMs: GAP, extras: [] }));

  const toldOf = (windows: Windows, metric: Metric) => arrivalOf(windows, metric).told;

  it('leave the time at which they came', () => {
    const before = untimed(EMPTY_WINDOWS, { cpu: 1 }, NOON - 5000);
    expect(lastArrival(untimed(before, { queue: 1 }, NOON))).to.equal(NOON);
    expect(lastArrival(shrink(untimed(before, { queue: 1 }, NOON), 1))).to.equal(NOON);
  });

  it('leave the times that came with them, as the windows do that are removed', () => {
    const one = slideOnly(
      EMPTY_WINDOWS,
      { queue: 1, cpu: 1 },
      { queue: { told: 7, ahead: 99 }, cpu: { told: 7 } },
    );
    expect([toldOf(one, 'queue'), toldOf(one, 'cpu'), toldOf(one, 'heat')]).to.deep.equal([7, 7, undefined]);
    const times = { queue: { told: 8 }, heat: { told: 9 } };
    const two = slideOnly(one, { queue: 2, heat: 2 }, times, ['queue', 'heat']);
    expect(two.others?.['queue']).to.deep.equal({ values: [2], at: NOON, told: 8 });
    const three = withOnly(two, ['heat']);
    expect(three.others).to.have.keys('heat');
    expect(arrivalOf(three, 'queue')).to.deep.equal({ at: NOON, told: 8, ahead: 99 });
    expect([toldOf(three, 'heat'), lastArrival(three)]).to.deep.equal([9, NOON]);
    const four = withOnly(three, []);
    expect([toldOf(four, 'queue'), toldOf(four, 'heat')]).to.deep.equal([8, 9]);
  });

  it('leave the times of the 256 metrics that came last', () => {
    const [first, ...later] = Array.from({ length: 257 }, (_, i) => `m${i}`);
    const windows = [first!, ...later].reduce(
      (before, metric) => slideOnly(before, { [metric]: 1 }, { [metric]: { told: 5 } }),
      EMPTY_WINDOWS,
    );
    expect(toldOf(windows, first!)).to.equal(undefined);
    expect(later.map((metric) => toldOf(windows, metric))).to.deep.equal(later.map(() => 5));
  });

  it('are copied once for each request, not for each of its measurements', () => {
    const before = slideOnly(EMPTY_WINDOWS, { queue: 1 }, { queue: { told: 7 } });
    const settings = { size: 3, gapMs: GAP, extras: [] };
    const measurements = [8, 9].map((told) => ({ measures: { queue: 1 }, times: { queue: { told } } }));
    const slid = measurements.reduce((windows, one) => settled(slide(windows, one, NOON, settings)), before);
    expect(slid.unkept?.metrics).to.equal(before.unkept?.metrics);
    const unwatched = { now: NOON, isWatched: false };
    expect(toldOf(withUnkept(slid, measurements, [], unwatched), 'queue')).to.equal(9);
    expect(withUnkept(before, [{ measures: { queue: 1 } }], [], unwatched)).to.equal(before);
  });
});
