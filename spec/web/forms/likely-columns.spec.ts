import { expect } from 'chai';
import { pageModule } from './page-module.js';

interface PastFacts {
  tableIn(text: string): unknown;
  likelyColumns(
    table: unknown,
    metrics: readonly string[],
  ): { time: string; metrics: Record<string, string> };
}

describe('the columns that the form takes from a CSV file', () => {
  let past: PastFacts;
  before(async () => {
    past = (await pageModule('forms/backtest/past-facts.ts')) as unknown as PastFacts;
  });
  const guess = (csv: string, ...metrics: string[]) => past.likelyColumns(past.tableIn(csv), metrics);

  it('are those of the names of the metrics, also if their first cells are empty', () =>
    expect(guess('at,cpu,mem\n2026-11-21 10:00,,40\n2026-11-21 10:01,90,\n', 'cpu', 'mem')).to.deep.equal({
      time: 'at',
      metrics: { cpu: 'cpu', mem: 'mem' },
    }));

  it('are those of the names in the same case, before those in another', () =>
    expect(guess('at,CPU,cpu\n2026-11-21 10:00,,\n2026-11-21 10:01,90,91\n', 'cpu').metrics['cpu']).to.equal(
      'cpu',
    ));

  it('are guessed from the first value in them, of a single metric whatever their names', () =>
    expect(guess('host,when,load\nweb-1,,\nweb-1,2026-11-21 10:01,90\n', 'cpu')).to.deep.equal({
      time: 'when',
      metrics: { cpu: 'load' },
    }));
});
