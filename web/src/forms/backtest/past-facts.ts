import { type CsvFact, csvTable, type CsvTable, csvTime } from '../../../../src/policy/backtest/csv-facts.js';

/** One measurement as a backtest takes it. */
export type PastFact = CsvFact['fact'];

/** The columns of a CSV file with the times and the values. */
export interface ChosenColumns {
  readonly time: string;
  /** Column by metric. An empty one: the metric was not measured. */
  readonly metrics: Readonly<Record<string, string>>;
}

/** Reads a CSV file. Throws an `Error` unless it has a header of two columns and a line of measurements. */
export function tableIn(text: string): CsvTable {
  const table = csvTable(text);
  if (table.columns.length < 2 || table.rows.length === 0) {
    throw new Error('the file needs a header with at least two columns, and a line for each measurement');
  }
  return table;
}

/** Guesses the columns by their names and the first values in them. A metric without a likely column is not measured. */
export function likelyColumns({ columns, rows }: CsvTable, metrics: readonly string[]): ChosenColumns {
  const sample = (column: string): string => {
    const at = columns.indexOf(column);
    const filled = rows.find(({ cells }) => (cells[at] ?? '').trim() !== '');
    return (filled?.cells[at] ?? '').trim();
  };
  // A small number is a time only if its column says so.
  const isTime = (column: string): boolean =>
    /[-:]|^\d{9}/.test(sample(column)) && csvTime(sample(column)) !== undefined;
  const called = columns.find((column) => /time|date|^at$/i.test(column) && isTime(column));
  const time = called ?? columns.find(isTime) ?? columns[0] ?? '';
  const others = columns.filter((column) => column !== time);
  const numbers = others.filter((column) => sample(column) !== '' && Number.isFinite(Number(sample(column))));
  const likely = (metric: string): string => {
    const named = others.filter((column) => column.toLowerCase() === metric.toLowerCase());
    return (
      named.find((column) => column === metric) ??
      named[0] ??
      numbers.find((column) => column.toLowerCase().includes(metric.toLowerCase())) ??
      (metrics.length === 1 ? numbers[0] : undefined) ??
      ''
    );
  };
  return { time, metrics: Object.fromEntries(metrics.map((metric) => [metric, likely(metric)])) };
}
