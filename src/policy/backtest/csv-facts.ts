import { isoOf } from '../../system/iso.js';
import { isoTime } from '../../untrusted/iso-time.js';

/** A CSV file with a header. */
export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly CsvRow[];
}

/** One record of a CSV file. A record that is shorter than the header ends with empty cells. */
export interface CsvRow {
  /** The line on which it begins, from 1 on. */
  readonly line: number;
  readonly cells: readonly string[];
}

const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Parses CSV (RFC 4180). The first record is the header. The delimiter is a comma, a semicolon or a tab: what the first line
 * has most of. Blank lines are left out. Throws an `Error` that names the line of a quote that does not end, or with text
 * after it.
 */
export function csvTable(text: string): CsvTable {
  const content = text.replace(/^\uFEFF/, '');
  const [header, ...rows] = records(content, delimiterOf(content));
  return { columns: header?.cells.map((cell) => cell.trim()) ?? [], rows };
}

function delimiterOf(content: string): string {
  const first = content.slice(0, content.search(/[\r\n]|$/)).replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string): number => first.split(delimiter).length;
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0]!;
}

function records(content: string, delimiter: string): CsvRow[] {
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n][^${delimiter}\\r\\n]*)?)(${delimiter}|\\r?\\n|\\r|$)`,
    'y',
  );
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let [line, begun] = [1, 1];
  while (cell.lastIndex < content.length || cells.length > 0) {
    const match = cell.exec(content);
    if (match === null) throw new Error(`line ${line}: a quote does not end, or text follows it`);
    const [whole, quoted, plain = '', end] = match;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    // Most cells end at a delimiter, and have no line break.
    if (quoted !== undefined || end !== delimiter) line += whole.split(/\r\n|\r|\n/).length - 1;
    if (end === delimiter) continue;
    if (cells.some((one) => one.trim() !== '')) rows.push({ line: begun, cells });
    cells = [];
    begun = line;
  }
  return rows;
}

/** The columns of a CSV file with the times and the values. */
export interface CsvColumns {
  readonly time: string;
  /** Column by metric. */
  readonly metrics: ReadonlyMap<string, string>;
}

/** A measurement of a CSV file, as the body of a backtest has it. */
export interface CsvFact {
  /** The line of the file, from 1 on. */
  readonly line: number;
  readonly fact: { readonly at: string } & Readonly<Record<string, number | string>>;
}

/** A smaller number is a time in seconds, up to the year 5138; others are ms. */
const SECONDS_LIMIT = 100_000_000_000;
/** A date, with a time and a zone or without. */
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?))?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/i;

/**
 * Reads the measurements of a CSV file. A row without a value in any of the columns is not a measurement. Throws an `Error`
 * that names the column or the line.
 */
export function csvFacts({ columns, rows }: CsvTable, { time, metrics }: CsvColumns): readonly CsvFact[] {
  const place = (column: string): number => {
    const found = columns.indexOf(column);
    if (found !== -1) return found;
    throw new Error(
      `there is no column ${JSON.stringify(column)}; there are ${columns.join(', ') || 'none'}`,
    );
  };
  const timeAt = place(time);
  const valueAt = [...metrics].map(([metric, column]) => [metric, column, place(column)] as const);
  const facts: CsvFact[] = [];
  // Without an array for each row: a file may have a million.
  for (const row of rows) {
    const values: Record<string, number> = {};
    let isMeasured = false;
    for (const [metric, column, valuePlace] of valueAt) {
      const cell = (row.cells[valuePlace] ?? '').trim();
      if (cell === '') continue;
      values[metric] = numberIn(cell, column, row);
      isMeasured = true;
    }
    if (!isMeasured) continue;
    const at = csvTime((row.cells[timeAt] ?? '').trim());
    if (at === undefined) {
      throw new Error(
        `line ${row.line}: ${time} must be a time of ISO 8601 or seconds since 1970, not ${JSON.stringify(row.cells[timeAt] ?? '')}`,
      );
    }
    facts.push({ line: row.line, fact: { ...values, at: isoOf(at) } });
  }
  return facts;
}

/** Returns the words of a refused backtest, with the lines of the file for the elements of `facts`. */
export function withLines(message: string, facts: readonly CsvFact[]): string {
  return message.replaceAll(
    /\bfacts\[(\d+)\](?:\.|: )/g,
    (_, index: string) => `line ${facts[Number(index)]?.line}: `,
  );
}

function numberIn(cell: string, column: string, { line }: CsvRow): number {
  const value = Number(cell);
  if (Number.isFinite(value)) return value;
  throw new Error(`line ${line}: ${column} must be a number, not ${JSON.stringify(cell)}`);
}

/**
 * Reads a time of ISO 8601, without a zone UTC, or a number of seconds or ms since 1970. Returns ms since the epoch;
 * undefined for any other text.
 */
export function csvTime(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    const ms = Math.floor(number < SECONDS_LIMIT ? number * 1000 : number);
    return Number.isNaN(new Date(ms).getTime()) ? undefined : ms;
  }
  const [, day = '', clock = '00:00', zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  const offset = /^[+-]/.test(zone) ? zone.replace(/^(...):?/, '$1:') : 'Z';
  return isoTime(`${day}T${clock.replace(',', '.')}${offset}`);
}
