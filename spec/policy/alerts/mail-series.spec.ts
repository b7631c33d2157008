import { expect } from 'chai';
import { compiled } from '../../../src/policy/rules/compiled.js';
import type { Condition } from '../../../src/policy/rules/condition.js';
import type { Windows } from '../../../src/policy/windows/window.js';
import { mailSeries } from '../../../src/policy/alerts/mail-series.js';
import { charactersBeside } from '../../../src/policy/alerts/outgoing-messages.js';

/** Windows with these values of cpu, mem and the metric `temperature`. */
const windowsOf = (
  cpu: readonly number[],
  mem: readonly number[] = [],
  temperature: readonly number[] = [],
): Windows => ({
  tracked: {
    cpu: { values: cpu, at: 1 },
    mem: { values: mem, at: 1 },
    temperature: { values: temperature, at: 1 },
  },
});
const seriesOf = (condition: Condition, windows: Windows) => mailSeries(compiled(condition), windows);
const HIGH: Condition = { cpu: { value: 85, operand: 'greater' } };

describe('the series of a mail', () => {
  it('have the window of each metric with what it was compared with', () => {
    const condition: Condition = {
      mem: { value: 70, operand: 'greater equal', aggregate: 'max', clear: 60 },
      cpu: { value: 85, operand: 'greater' },
    };
    expect(seriesOf(condition, windowsOf([88, 91, 93.333333], [71, 70.5, 75]))).to.deep.equal([
      {
        metric: 'cpu',
        values: [88, 91, 93.3333],
        size: 3,
        thresholds: [85],
        clears: [],
        percent: true,
      },
      {
        metric: 'mem',
        values: [71, 70.5, 75],
        size: 3,
        thresholds: [70],
        clears: [60],
        percent: true,
      },
    ]);
  });

  it('have a metric once, with all that it was compared with', () => {
    const condition: Condition = {
      any: [
        { cpu: { value: 20, operand: 'less' } },
        { not: { cpu: { value: 80, operand: 'less', aggregate: 'last', clear: 85 } } },
        { cpu: { value: 400, operand: 'greater', aggregate: 'sum' } },
      ],
    };
    const [cpu, ...others] = seriesOf(condition, windowsOf([90, 91, 82]));
    expect(others).to.deep.equal([]);
    expect(cpu).to.deep.include({
      // A sum is not on the scale of the values.
      thresholds: [20, 80],
      clears: [85],
    });
  });

  it('of a custom metric are not percentages', () => {
    const condition: Condition = { temperature: { value: 30, operand: 'greater' } };
    expect(seriesOf(condition, windowsOf([], [], [31, 3e40]))[0]).to.include({
      metric: 'temperature',
      percent: false,
    });
  });

  it('leave out windows of one value, and metrics beyond four', () => {
    expect(seriesOf(HIGH, windowsOf([90]))).to.deep.equal([]);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const tracked = Object.fromEntries(names.map((name) => [name, { values: [1, 2], at: 1 }]));
    const condition: Condition = { all: names.map((name) => ({ [name]: { value: 0, operand: 'greater' } })) };
    expect(seriesOf(condition, { tracked }).map(({ metric }) => metric)).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('of large windows have 60 numbers at most, of what the condition compares', () => {
    const values = Array.from({ length: 150 }, (_, i) => i % 100);
    const numbers = (aggregate: 'max' | 'min' | 'last' | 'mean' | 'sum') =>
      seriesOf({ cpu: { value: 85, operand: 'greater', aggregate } }, windowsOf(values))[0]!;
    const shown = numbers('max');
    expect(shown.size).to.equal(150);
    expect(shown.values).to.have.length(50);
    expect(shown.values.slice(0, 2)).to.deep.equal([2, 5]);
    expect(numbers('min').values.slice(0, 2)).to.deep.equal([0, 3]);
    expect(numbers('last').values.at(-1)).to.equal(49);
    expect(numbers('mean').values.slice(0, 2)).to.deep.equal([1, 4]);
    expect(numbers('sum').values.slice(0, 2)).to.deep.equal([1, 4]);
    const uneven = seriesOf(HIGH, windowsOf([...values, 7]))[0]!.values;
    expect(uneven).to.have.length(51);
    // The first number stands for what is left over.
    expect(uneven.slice(0, 2)).to.deep.equal([0, 2]);
    for (const length of [2, 59, 60, 61, 120, 9_999, 10_000]) {
      const most = seriesOf(HIGH, windowsOf(Array.from({ length }, () => 1 / 3)))[0]!.values;
      expect(most.length).to.be.within(2, 60);
      expect(new Set(most)).to.deep.equal(new Set([0.333333]));
    }
  });

  it('are small, and counted', () => {
    const values = Array.from({ length: 10_000 }, (_, i) => (i * Math.PI) % 100);
    const series = seriesOf(
      { cpu: { value: 1, operand: 'less' }, mem: { value: 1, operand: 'less' } },
      windowsOf(values, values),
    );
    const texts = { subject: 's', headline: 'h', reason: 'r', body: '' };
    const mail = { channel: 'email', to: 'a@b.cd', state: 'firing', ...texts, series, facts: [] } as const;
    const { length } = JSON.stringify(mail);
    expect(length).to.be.below(2_000);
    expect(charactersBeside(mail)).to.be.within(length, 2 * length);
  });
});
