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
 * behind it.
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
    line += whole.split(/\r\n|\r|\n/).length - 1;
    if (end === delimiter) continue;
    if (cells.some((one) => one.trim() !== '')) rows.push({ line: begun, cells });
    cells = [];
    begun = line;
  }
  return rows;
}
