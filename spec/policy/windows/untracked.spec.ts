import { expect } from 'chai';
import { type Measures, type Metric, METRICS } from '../../../src/policy/rules/metrics.js';
import {
  type Measurement,
  withUntracked,
  arrivalOf,
  EMPTY_WINDOWS,
  lastArrival,
  shrink,
  type Windows,
  withOnly,
} from '../../../src/policy/windows/window.js';
import { settled, slide } from '../../../src/policy/windows/slide.js';

const GAP = 300_000;
const NOON = Date.UTC(2026, 0, 15, 12);

describe('values without a window', () => {
  /** A request with one measurement. */
  const slideOnly = (
    windows: Windows,
    measures: Measures,
    times: Measurement['times'],
    custom: readonly Metric[] = [],
  ): Windows => {
    const tracked = [...METRICS, ...custom];
    const slid = slide(windows, { measures, times }, NOON, { size: 3, gapMs: GAP, tracked });
    return withUntracked(settled(slid), [{ measures, times }], tracked, { now: NOON, isSubscribed: false });
  };

  const untimed = (windows: Windows, measures: Measures, now: number): Windows =>
    settled(slide(windows, { measures }, now, { size: 3, gapMs: GAP, tracked: METRICS }));

  const sourceTimeOf = (windows: Windows, metric: Metric) => arrivalOf(windows, metric).sourceTime;

  it('leave the time at which they came', () => {
    const before = untimed(EMPTY_WINDOWS, { cpu: 1 }, NOON - 5000);
    expect(lastArrival(untimed(before, { queue: 1 }, NOON))).to.equal(NOON);
    expect(lastArrival(shrink(untimed(before, { queue: 1 }, NOON), 1))).to.equal(NOON);
  });

  it('leave the times that came with them, as the windows do that are removed', () => {
    const one = slideOnly(
      EMPTY_WINDOWS,
      { queue: 1, cpu: 1 },
      { queue: { sourceTime: 7, futureTime: 99 }, cpu: { sourceTime: 7 } },
    );
    expect([sourceTimeOf(one, 'queue'), sourceTimeOf(one, 'cpu'), sourceTimeOf(one, 'heat')]).to.deep.equal([
      7,
      7,
      undefined,
    ]);
    const times = { queue: { sourceTime: 8 }, heat: { sourceTime: 9 } };
    const two = slideOnly(one, { queue: 2, heat: 2 }, times, ['queue', 'heat']);
    expect(two.tracked['queue']).to.deep.equal({ values: [2], at: NOON, sourceTime: 8 });
    const three = withOnly(two, [...METRICS, 'heat']);
    expect(three.tracked).to.have.keys(...METRICS, 'heat');
    expect(arrivalOf(three, 'queue')).to.deep.equal({ at: NOON, sourceTime: 8, futureTime: 99 });
    expect([sourceTimeOf(three, 'heat'), lastArrival(three)]).to.deep.equal([9, NOON]);
    const four = withOnly(three, METRICS);
    expect([sourceTimeOf(four, 'queue'), sourceTimeOf(four, 'heat')]).to.deep.equal([8, 9]);
  });

  it('leave the times of the last 256 metrics of a request with more', () => {
    const names = Array.from({ length: 300 }, (_, i) => `m${i}`);
    const all = <V>(value: V) => Object.fromEntries(names.map((name) => [name, value]));
    const windows = slideOnly(EMPTY_WINDOWS, all(1), all({ sourceTime: 5 }));
    expect(Object.keys(windows.untracked!.metrics)).to.deep.equal(names.slice(-256));
  });

  it('leave the times of the 256 metrics that came last', () => {
    const [first, ...later] = Array.from({ length: 257 }, (_, i) => `m${i}`);
    const windows = [first!, ...later].reduce(
      (before, metric) => slideOnly(before, { [metric]: 1 }, { [metric]: { sourceTime: 5 } }),
      EMPTY_WINDOWS,
    );
    expect(sourceTimeOf(windows, first!)).to.equal(undefined);
    expect(later.map((metric) => sourceTimeOf(windows, metric))).to.deep.equal(later.map(() => 5));
  });

  it('are copied once for each request, not for each of its measurements', () => {
    const before = slideOnly(EMPTY_WINDOWS, { queue: 1 }, { queue: { sourceTime: 7 } });
    const settings = { size: 3, gapMs: GAP, tracked: METRICS };
    const measurements = [8, 9].map((sourceTime) => ({
      measures: { queue: 1 },
      times: { queue: { sourceTime } },
    }));
    const slid = measurements.reduce((windows, one) => settled(slide(windows, one, NOON, settings)), before);
    expect(slid.untracked?.metrics).to.equal(before.untracked?.metrics);
    const unsubscribed = { now: NOON, isSubscribed: false };
    expect(sourceTimeOf(withUntracked(slid, measurements, METRICS, unsubscribed), 'queue')).to.equal(9);
    expect(withUntracked(before, [{ measures: { queue: 1 } }], METRICS, unsubscribed)).to.equal(before);
  });
});
