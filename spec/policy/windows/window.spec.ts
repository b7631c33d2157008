import { expect } from 'chai';
import fc from 'fast-check';
import { type Measures, METRICS } from '../../../src/policy/rules/metrics.js';
import { mean } from '../../../src/policy/windows/aggregate.js';
import { settled, slide as slideWindows } from '../../../src/policy/windows/slide.js';
import {
  EMPTY_WINDOWS,
  shrink,
  windowOf,
  type Windows,
  windowsText,
} from '../../../src/policy/windows/window.js';

const GAP = 300_000;
const NOON = Date.UTC(2026, 0, 15, 12);

function slide(windows: Windows, measures: Measures, now: number, size: number, gapMs: number): Windows {
  return settled(slideWindows(windows, { measures }, now, { size, gapMs, tracked: METRICS }));
}

/** Windows after measures one second apart, the last of them at noon. */
function measured(series: readonly Measures[], size = 3): Windows {
  return series.reduce<Windows>(
    (windows, measures, i) => slide(windows, measures, NOON - (series.length - 1 - i) * 1000, size, GAP),
    EMPTY_WINDOWS,
  );
}

const everyMetric = (value: number): Measures => ({ cpu: value, mem: value, hdd: value, net: value });

describe('a sliding window', () => {
  for (const metric of METRICS) {
    it(`of ${metric} holds the newest values, oldest first, and the arrival of the newest`, () => {
      const windows = measured([1, 2, 3, 4, 5].map((value) => ({ [metric]: value })));
      expect(windowOf(windows, metric)).to.deep.equal({ values: [3, 4, 5], at: NOON });
      for (const other of METRICS.filter((one) => one !== metric)) {
        expect(windowOf(windows, other)).to.deep.equal({ values: [], at: 0 });
      }
    });
  }

  it('of size 1 holds the newest value', () => {
    expect(measured([{ cpu: 1 }, { cpu: 2 }], 1).tracked['cpu']!.values).to.deep.equal([2]);
  });

  it('fills up to its size and no further', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 30 }),
        (size, values) => {
          const windows = measured(
            values.map((cpu) => ({ cpu })),
            size,
          );
          expect(windowOf(windows, 'cpu').values).to.deep.equal(values.slice(-size));
        },
      ),
    );
  });

  it('does not change while other metrics are measured', () => {
    const windows = measured([{ cpu: 1, mem: 2 }, { cpu: 3 }]);
    expect(windows.tracked['mem']!).to.deep.equal({ values: [2], at: NOON - 1000 });
  });

  it('does not change the windows before', () => {
    const before = measured([everyMetric(1), everyMetric(2), everyMetric(3)]);
    const copy = structuredClone(before);
    slide(before, everyMetric(9), NOON + 1000, 3, GAP);
    shrink(before, 1);
    expect(before).to.deep.equal(copy);
  });
});

describe('a pause', () => {
  const before = measured([{ cpu: 1 }, { cpu: 2 }]);

  it('of exactly the gap empties nothing', () => {
    expect(slide(before, { cpu: 3 }, NOON + GAP, 3, GAP).tracked['cpu']!.values).to.deep.equal([1, 2, 3]);
  });

  it('longer than the gap empties the window before the value is added', () => {
    expect(slide(before, { cpu: 3 }, NOON + GAP + 1, 3, GAP).tracked['cpu']!).to.deep.equal({
      values: [3],
      at: NOON + GAP + 1,
      emptied: { at: NOON + GAP + 1, pause: GAP + 1 },
    });
  });

  it('is kept until the window is full again', () => {
    const later = NOON + GAP + 1;
    const once = slide(before, { cpu: 3 }, later, 3, GAP);
    const twice = slide(once, { cpu: 4 }, later + 1, 3, GAP);
    expect(twice.tracked['cpu']!.emptied).to.deep.equal({ at: later, pause: GAP + 1 });
    expect(slide(twice, { mem: 4 }, later + 2, 3, GAP).tracked['cpu']!).to.equal(twice.tracked['cpu']!);
    const again = slide(twice, { cpu: 5 }, later + 2, 3, GAP);
    expect(again.tracked['cpu']!).to.deep.equal({ values: [3, 4, 5], at: later + 2 });
    // A smaller window size fills a window without a value.
    expect(slide(twice, { mem: 4 }, later + 2, 2, GAP).tracked['cpu']!).to.deep.equal({
      values: [3, 4],
      at: later + 1,
    });
    expect(slide(before, { cpu: 3 }, later, 1, GAP).tracked['cpu']!).to.deep.equal({
      values: [3],
      at: later,
    });
  });

  it('of any length empties nothing when the gap is 0', () => {
    const inAYear = NOON + 365 * 86_400_000;
    expect(slide(before, { cpu: 3 }, inAYear, 3, 0).tracked['cpu']!.values).to.deep.equal([1, 2, 3]);
    expect(slide(before, { mem: 3 }, inAYear, 3, 0).tracked['cpu']!.values).to.deep.equal([1, 2]);
  });

  it('of one metric empties the window of that metric alone', () => {
    const later = slide(measured([{ cpu: 1, mem: 1 }]), { mem: 2 }, NOON + GAP, 3, GAP);
    const windows = slide(later, { mem: 3 }, NOON + GAP + 1, 3, GAP);
    const emptied = { at: NOON + GAP + 1, pause: GAP + 1 };
    expect(windows.tracked['cpu']!).to.deep.equal({ values: [], at: NOON, emptied });
    expect(windows.tracked['mem']!.values).to.deep.equal([1, 2, 3]);
  });

  it('before the first value of a metric does not count', () => {
    expect(slide(before, { mem: 1 }, NOON + 1, 3, GAP).tracked['mem']!.values).to.deep.equal([1]);
  });
});

describe('a smaller window size', () => {
  it('keeps the newest values of every metric, and their arrival', () => {
    const windows = shrink(measured([1, 2, 3].map(everyMetric)), 2);
    for (const metric of METRICS)
      expect(windowOf(windows, metric)).to.deep.equal({ values: [2, 3], at: NOON });
  });

  it('does not change windows that are short enough', () => {
    const windows = measured([{ cpu: 1 }, { cpu: 2, mem: 2 }]);
    expect(shrink(windows, 2)).to.equal(windows);
    expect(shrink(windows, 1).tracked['mem']!.values).to.deep.equal([2]);
    expect(windowOf(shrink(windows, 1), 'net')).to.deep.equal({ values: [], at: 0 });
  });
});

describe('the mean', () => {
  it('is not rounded', () => {
    expect(mean([1, 2])).to.equal(1.5);
    expect(mean([0, 0, 1])).to.equal(1 / 3);
    expect(mean([85.1, 85.3, 85.2])).to.equal(85.2);
    expect(mean([100])).to.equal(100);
    expect(mean([0, 0])).to.equal(0);
  });

  it('of equal values is that value', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.integer({ min: 1, max: 200 }),
        (value, length) => {
          expect(mean(Array.from({ length }, () => value))).to.equal(value + 0);
        },
      ),
    );
    expect(mean(Array.from({ length: 10_000 }, () => 85.1))).to.equal(85.1);
  });

  it('lies between the smallest and the largest value, whatever their order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 100 }),
        (values) => {
          expect(mean(values)).to.be.within(Math.min(...values), Math.max(...values));
          expect(mean(values.toReversed())).to.be.closeTo(mean(values), 1e-12);
        },
      ),
    );
  });

  it('is exact where plain addition drifts', () => {
    // Ten times 0.1 adds up to 0.9999999999999999.
    expect(mean([...Array.from({ length: 10 }, () => 0.1), 0])).to.equal(1 / 11);
  });
});

describe('the text of windows', () => {
  const percent = fc.oneof(
    fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
    fc.integer({ min: 0, max: 10_000 }).map((hundredths) => 100 - hundredths / 100),
    fc.double({ min: 0, max: 100, noNaN: true }),
  );
  const window = fc.record(
    {
      values: fc.array(percent, { maxLength: 12 }),
      at: fc.nat(2 ** 45),
      emptied: fc.record({ at: fc.nat(2 ** 45), pause: fc.nat(2 ** 45) }),
      sourceTime: fc.nat(2 ** 50),
      futureTime: fc.nat(2 ** 50),
    },
    { requiredKeys: ['values', 'at'] },
  );
  const arrival = fc.record({
    at: fc.nat(2 ** 45),
    sourceTime: fc.nat(2 ** 50),
    futureTime: fc.nat(2 ** 50),
  });
  const digit = fc.constantFrom('0', '9', 'a', 'z');
  const windows = fc.record(
    {
      tracked: fc.dictionary(fc.constantFrom(...METRICS, 'queue'), window),
      untracked: fc.record({ at: fc.nat(2 ** 45), metrics: fc.record({ queue: arrival }) }),
      counted: fc.record(
        {
          forgotten: fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
          byMetrics: fc.dictionary(fc.constantFrom('cpu', 'cpu,mem', 'queue'), fc.string({ unit: digit })),
        },
        { requiredKeys: ['byMetrics'] },
      ),
    },
    { requiredKeys: ['tracked'] },
  );

  it('equals JSON.stringify', () => {
    fc.assert(
      fc.property(windows, (some) => {
        expect(windowsText(some)).to.equal(JSON.stringify(some));
      }),
      { numRuns: 2_000 },
    );
  });

  it('equals JSON.stringify without measurements', () => {
    expect(windowsText(EMPTY_WINDOWS)).to.equal(JSON.stringify(EMPTY_WINDOWS));
  });
});
