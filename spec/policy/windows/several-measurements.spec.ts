import { expect } from 'chai';
import fc from 'fast-check';
import { type Aggregate, AGGREGATES } from '../../../src/policy/rules/condition.js';
import { METRICS } from '../../../src/policy/rules/metrics.js';
import { aggregated } from '../../../src/policy/windows/aggregate.js';
import {
  type Measurement,
  EMPTY_WINDOWS,
  type Values,
  windowOf,
  type Windows,
} from '../../../src/policy/windows/window.js';
import { resultIn } from '../../../src/policy/windows/results.js';
import { arrayOf, settled, slide, slideAll, sliding } from '../../../src/policy/windows/slide.js';

const NOON = Date.UTC(2026, 0, 15, 12);
const NAMES = ['cpu', 'mem', 'queue', 'temperature'];
/** The metrics that have windows. */
const TRACKED = [...METRICS, 'queue', 'pressure'];

const number = fc.oneof(
  fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.constantFrom(1e308, -1e308, 0, 5e-324),
);
const measurement: fc.Arbitrary<Measurement> = fc
  .record(
    { measures: fc.dictionary(fc.constantFrom(...NAMES), number, { maxKeys: 4 }), time: fc.nat() },
    { requiredKeys: ['measures'] },
  )
  .map(({ measures, time }) =>
    time === undefined ? { measures } : { measures, times: { cpu: { sourceTime: time } } },
  );
const request = fc.array(measurement, { minLength: 1, maxLength: 40 });
/** Requests, each with the time since the one before, s. */
const requests = fc.array(fc.tuple(fc.constantFrom(0, 1, 400), request), { minLength: 1, maxLength: 5 });

/** Returns the result of a comparison of a metric. */
function resultOf(windows: Windows<Values>, metric: string, aggregate: Aggregate): number {
  const comparison = { index: 0, metric, aggregate, operand: 'less', value: 0, clear: undefined } as const;
  return resultIn(windows, comparison);
}

describe('the windows of a request of several measurements', () => {
  it('are what they are if each measurement comes alone, and so are the results of each', () => {
    fc.assert(
      fc.property(requests, fc.integer({ min: 1, max: 12 }), (all, size) => {
        const settings = { size, gapMs: 300_000, tracked: TRACKED };
        let alone: Windows = EMPTY_WINDOWS;
        let now = NOON;
        for (const [pause, measurements] of all) {
          now += pause * 1000;
          let together = sliding(alone, TRACKED);
          const moments: [Windows<Values>, Windows][] = [];
          for (const one of measurements) {
            alone = settled(slide(alone, one, now, settings));
            together = slide(together, one, now, settings);
            moments.push([together, alone]);
            for (const metric of NAMES) {
              const { values } = windowOf(alone, metric);
              expect(windowOf(together, metric).values.length).to.equal(values.length);
              if (values.length === 0) continue;
              for (const aggregate of AGGREGATES) {
                expect(resultOf(together, metric, aggregate), aggregate).to.equal(
                  aggregated(aggregate, values),
                );
              }
            }
          }
          expect(settled(together)).to.deep.equal(alone);
          // Those of a measurement stay as they were: its mail is made later.
          for (const [moment, plain] of moments) {
            expect(settled(moment)).to.deep.equal(plain);
            for (const metric of NAMES) {
              const { values } = windowOf(plain, metric);
              expect(arrayOf(windowOf(moment, metric).values)).to.deep.equal(values);
              if (values.length > 0) {
                expect(resultOf(moment, metric, 'mean')).to.equal(aggregated('mean', values));
              }
            }
          }
        }
      }),
    );
  });

  it('are the same if no rule is evaluated between them, with times and without', () => {
    fc.assert(
      fc.property(requests, fc.boolean(), fc.integer({ min: 1, max: 12 }), (all, areTimed, size) => {
        const settings = { size, gapMs: 300_000, tracked: TRACKED };
        let windows: Windows<Values> = EMPTY_WINDOWS;
        let now = NOON;
        for (const [pause, sent] of all) {
          now += pause * 1000;
          const measurements = areTimed ? sent : sent.map(({ measures }) => ({ measures }));
          let alone = windows;
          for (const one of measurements) alone = slide(alone, one, now, settings);
          windows = slideAll(windows, measurements, now, settings);
          expect(windows).to.deep.equal(alone);
        }
      }),
    );
  });
});
