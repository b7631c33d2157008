import { expect } from 'chai';
import { pageModule } from '../forms/page-module.js';

interface Series {
  readonly facts: readonly number[];
  readonly values: readonly (number | null)[];
  readonly means: readonly (number | null)[];
}
type ByMetric = Readonly<Record<string, Series>>;
type Extended = (series: ByMetric, seen: object) => ByMetric;

describe('the series of a window', () => {
  let extended: Extended;
  let axisOf: (first: number, last: number) => readonly [number, number];
  let scaleOf: (metric: string, shown: readonly (number | null)[]) => readonly [number, number];
  before(async () => {
    const series = (await pageModule('pages/server/series.ts')) as unknown as { extended: Extended };
    const axes = (await pageModule('pages/server/axes.ts')) as unknown as {
      axisOf: typeof axisOf;
      scaleOf: typeof scaleOf;
    };
    ({ extended } = series);
    ({ axisOf, scaleOf } = axes);
  });
  const seen = (factId: number, ...values: number[]) => ({ factId, windows: { cpu: { size: 3, values } } });
  const after = (...steps: readonly object[]): Series => steps.reduce<ByMetric>(extended, {})['cpu']!;

  it('begins with the values of the window, the newest with the mean once the window is full', () => {
    expect(after(seen(2, 1, 5))).to.deep.equal({ facts: [1, 2], values: [1, 5], means: [null, null] });
    expect(after(seen(9, 1, 2, 6))).to.deep.equal({
      facts: [7, 8, 9],
      values: [1, 2, 6],
      means: [null, null, 3],
    });
  });

  it('grows by a point with each fact, equal values too', () => {
    const { facts, values, means } = after(seen(3, 4, 4, 4), seen(4, 4, 4, 4), seen(5, 4, 4, 7));
    expect([facts, values]).to.deep.equal([
      [1, 2, 3, 4, 5],
      [4, 4, 4, 4, 7],
    ]);
    expect(means).to.deep.equal([null, null, 4, 4, 5]);
  });

  it('takes facts that it missed from the window, as far as that reaches', () => {
    expect(after(seen(3, 1, 2, 3), seen(5, 3, 4, 5)).facts).to.deep.equal([1, 2, 3, 4, 5]);
    const { facts, values } = after(seen(3, 1, 2, 3), seen(20, 7, 8, 9));
    expect(facts).to.deep.equal([1, 2, 3, 18, 19, 20]);
    expect(values).to.deep.equal([1, 2, 3, 7, 8, 9]);
  });

  it('ignores what it has, and has a gap where the window is emptied', () => {
    const once = after(seen(3, 1, 2, 3));
    expect(after(seen(3, 1, 2, 3), seen(2, 9, 1, 2), seen(3, 1, 2, 3))).to.deep.equal(once);
    const { facts, values } = after(seen(3, 1, 2, 3), seen(4), seen(5, 8));
    expect(facts).to.deep.equal([1, 2, 3, 4, 5]);
    expect(values).to.deep.equal([1, 2, 3, null, 8]);
    expect(after(seen(4))).to.deep.equal({ facts: [], values: [], means: [] });
  });

  it('has an axis with room for 30 facts more than the first, none before the first of the server', () => {
    expect(axisOf(1, 5)).to.deep.equal([1, 31.5]);
    expect(axisOf(396, 400)).to.deep.equal([370, 400.5]);
    expect(axisOf(12, 400)).to.deep.equal([12, 400.5]);
  });

  it('has the scale of percentages for metrics of the document, else one around what is shown', () => {
    expect(scaleOf('cpu', [1, 99, 300])).to.deep.equal([0, 104]);
    expect(scaleOf('queue', [1000, null, 2000])).to.deep.equal([920, 2080]);
    expect(scaleOf('queue', [5, 5])).to.deep.equal([4, 6]);
    expect(scaleOf('queue', [0])).to.deep.equal([-1, 1]);
    const [from, to] = scaleOf('queue', [-1.7e308, 1.7e308]);
    expect([from, to].every(Number.isFinite)).to.equal(true);
    expect(from < to).to.equal(true);
  });

  it('keeps the last 500 points', () => {
    const most = 500;
    const steps = Array.from({ length: most + 10 }, (_, i) => seen(i + 1, i));
    const { facts, values, means } = after(...steps);
    expect([facts.length, values.length, means.length]).to.deep.equal([most, most, most]);
    expect(facts.at(-1)).to.equal(most + 10);
  });
});
