import { expect } from 'chai';
import { compare, compiled, conditionHolds } from '../../../src/policy/rules/compiled.js';
import {
  type Condition,
  conditionText,
  type Operand,
  OPERANDS,
} from '../../../src/policy/rules/condition.js';
import { type Measures, METRICS } from '../../../src/policy/rules/metrics.js';

function holds(condition: Condition, measures: Measures): boolean {
  const made = compiled(condition);
  return conditionHolds(
    made,
    compare(made, ({ metric }) => measures[metric]!, 0),
  );
}

const EXPECTED: Readonly<Record<Operand, readonly [below: boolean, equal: boolean, above: boolean]>> = {
  greater: [false, false, true],
  less: [true, false, false],
  'greater equal': [false, true, true],
  'less equal': [true, true, false],
};

describe('a condition', () => {
  for (const operand of OPERANDS) {
    for (const metric of METRICS) {
      for (const value of [0, 0.1, 42.5, 85, 100]) {
        it(`"${metric} ${operand} ${value}" holds for exactly these measures`, () => {
          const condition: Condition = { [metric]: { value, operand } };
          const [below, equal, above] = EXPECTED[operand];
          expect(holds(condition, { [metric]: value })).to.equal(equal);
          if (value > 0) {
            expect(holds(condition, { [metric]: value - 1e-10 })).to.equal(below);
            expect(holds(condition, { [metric]: 0 })).to.equal(below);
          }
          if (value < 100) {
            expect(holds(condition, { [metric]: value + 1e-10 })).to.equal(above);
            expect(holds(condition, { [metric]: 100 })).to.equal(above);
          }
        });
      }
    }
  }

  it('of several statements holds only if each statement holds', () => {
    const condition: Condition = {
      cpu: { value: 80, operand: 'greater' },
      mem: { value: 50, operand: 'less equal' },
      hdd: { value: 10, operand: 'greater equal' },
      net: { value: 30, operand: 'less' },
    };
    const fitting = { cpu: 80.1, mem: 50, hdd: 10, net: 29.9 };
    expect(holds(condition, fitting)).to.equal(true);
    expect(holds(condition, { ...fitting, cpu: 80 })).to.equal(false);
    expect(holds(condition, { ...fitting, mem: 50.1 })).to.equal(false);
    expect(holds(condition, { ...fitting, hdd: 9.9 })).to.equal(false);
    expect(holds(condition, { ...fitting, net: 30 })).to.equal(false);
  });

  it('ignores other metrics', () => {
    const condition: Condition = { cpu: { value: 80, operand: 'greater' } };
    expect(holds(condition, { cpu: 90, mem: 0, hdd: 0, net: 0 })).to.equal(true);
  });

  it('has its metrics in a fixed order', () => {
    const statement = { value: 1, operand: 'less' } as const;
    expect(
      compiled({ net: statement, hdd: statement, mem: statement, cpu: statement }).metrics,
    ).to.deep.equal(['cpu', 'mem', 'hdd', 'net']);
    expect(compiled({ net: statement, mem: statement }).metrics).to.deep.equal(['mem', 'net']);
  });

  it('is compiled once for all rules that have the same', () => {
    const of = (value: number): Condition => ({ cpu: { value, operand: 'greater' } });
    expect(compiled(of(5))).to.equal(compiled(of(5)));
    expect(compiled(of(5))).to.not.equal(compiled(of(6)));
    const many = Array.from({ length: 1_500 }, (_, value) => compiled(of(value)));
    expect(many.map(({ comparisons }) => comparisons[0]!.value)).to.deep.equal([...many.keys()]);
  });

  it('has a text for people', () => {
    expect(
      conditionText({
        net: { value: 30, operand: 'less' },
        cpu: { value: 85, operand: 'greater' },
        hdd: { value: 10.5, operand: 'greater equal' },
        mem: { value: 50, operand: 'less equal' },
      }),
    ).to.equal('cpu > 85 and mem <= 50 and hdd >= 10.5 and net < 30');
  });
});
