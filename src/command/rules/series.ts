import { readFile } from 'node:fs/promises';
import { backtest, type BacktestResult } from '../../policy/backtest/backtest.js';
import { csvFacts, csvTable } from '../../policy/backtest/csv-facts.js';
import { csvBacktest } from '../../policy/http/offline-backtest.js';
import type { RuleDraft } from '../../policy/rules/rule.js';
import { Failure } from '../context.js';
import { readFault } from '../files.js';

/** A series of measurements that a test plays to a rule. */
export interface Series {
  /** The list and the name of the rule: see `WantedLists`. */
  readonly list: string;
  readonly rule: string;
  /** The CSV file as the test names it, and where it is. */
  readonly csv: string;
  readonly path: string;
  /** The column of the times. */
  readonly time: string;
  /** Column by metric. */
  readonly metrics: ReadonlyMap<string, string>;
  /** undefined: that of the tenant. */
  readonly windowsize: number | undefined;
  /** s; undefined: the default of the service. */
  readonly gap: number | undefined;
}

/** A series with its measurements. */
export interface PlayedSeries {
  /** Returns what the rule would have sent, at a window size of the tenant. Throws `Failure` that names the line of the file. */
  readonly play: (rule: RuleDraft, windowsize: number) => BacktestResult;
}

/** Reads the measurements of a series. Throws `Failure` that names the file, and the column or the line. */
export async function readSeries(series: Series): Promise<PlayedSeries> {
  const { path, csv, time, metrics, gap } = series;
  const content = await textOf(path, csv);
  const facts = named(csv, () => csvFacts(csvTable(content), { time, metrics }));
  return {
    play: (rule, windowsize) =>
      named(csv, () =>
        backtest(csvBacktest(facts, { rule, windowsize: series.windowsize ?? windowsize, gap })),
      ),
  };
}

async function textOf(path: string, csv: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Failure(`${csv}: ${readFault(error)} (${path})`, { cause: error });
  }
}

function named<T>(csv: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Failure(`${csv}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
