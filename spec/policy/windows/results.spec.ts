import { expect } from 'chai';
import { compiled } from '../../../src/policy/rules/compiled.js';
import { AGGREGATES } from '../../../src/policy/rules/condition.js';
import { aggregated } from '../../../src/policy/windows/aggregate.js';
import { Results } from '../../../src/policy/windows/results.js';
import type { Window } from '../../../src/policy/windows/window.js';

describe('the results of one measurement', () => {
  it('are computed once for each metric and aggregate, however many rules compare them', () => {
    const window: Window = { values: [3, 1, 2], at: 1 };
    let reads = 0;
    const counted = (): Window => {
      reads += 1;
      return window;
    };
    const each = { get: counted, enumerable: true };
    const windows = { tracked: Object.defineProperties({}, { cpu: each, queue: each }) };
    const results = new Results(windows);
    const resultsOf = (metric: string) =>
      AGGREGATES.map((aggregate) => {
        const condition = { [metric]: { value: 1, operand: 'greater', aggregate } } as const;
        return results.of(compiled(condition).comparisons[0]!);
      });
    for (const metric of ['cpu', 'queue']) {
      expect(resultsOf(metric)).to.deep.equal([2, 1, 3, 2, 6]);
      const once = reads;
      expect(resultsOf(metric)).to.deep.equal([2, 1, 3, 2, 6]);
      expect(reads).to.equal(once);
    }
  });
});

describe('the sum and the mean of values near the largest number', () => {
  const most = Number.MAX_VALUE;

  it('are right, although a part of the sum is not a number', () => {
    const values = [1.7e308, 1.7e308, -1.7e308, -1.7e308];
    expect(aggregated('sum', values)).to.equal(0);
    expect(aggregated('mean', values)).to.equal(0);
    expect(aggregated('sum', [most, most, 5, -most])).to.equal(most);
    expect(aggregated('mean', [most, most])).to.equal(most);
    expect(aggregated('mean', [1e308, 1e308, 1e308, 0])).to.equal(0.75e308);
  });

  it('stay finite', () => {
    expect(aggregated('sum', [most, most])).to.equal(most);
    expect(aggregated('sum', [-most, -most, 1])).to.equal(-most);
  });
});
