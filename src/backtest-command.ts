import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isMetricName } from './config/metrics.js';
import { Refusal } from './errors.js';
import { backtest, backtestAnswer } from './policy/backtest/backtest.js';
import { backtestReport } from './policy/backtest/backtest-report.js';
import { type CsvFact, csvFacts, csvTable, withLines } from './policy/backtest/csv-facts.js';
import { backtestReader } from './policy/http/backtest-body.js';
import { compiled } from './policy/rules/compiled.js';
import { isOfDocument } from './policy/rules/metrics.js';
import { DEFAULT_WINDOW_SIZE } from './policy/tenant/tenant-machine.js';
import { parseJson } from './untrusted/json-text.js';

const USAGE = `Usage: mirzam backtest --rule FILE --csv FILE --time COLUMN --metric NAME=COLUMN
                       [--windowsize N] [--gap S] [--json]

Says what a rule would have sent for measurements of the past. No service is needed.

  --rule FILE           the rule as JSON, as the policy API takes it
  --csv FILE            the measurements: a header, then one line for each, in the order of their times
  --time COLUMN         the column with the times: ISO 8601, without a zone UTC, or seconds since 1970
  --metric NAME=COLUMN  the column of a metric, such as cpu=value; several times for several metrics
  --windowsize N        number of values of a full window; by default 5
  --gap S               a longer pause, in seconds, empties a window; 0 never does; by default 300
  --json                the answer of the policy API instead of a chart

A file named - is the standard input. Ends with 0, and with 2 for unusable arguments or files.
`;

const OPTIONS = {
  rule: { type: 'string' },
  csv: { type: 'string' },
  time: { type: 'string' },
  metric: { type: 'string', multiple: true },
  windowsize: { type: 'string' },
  gap: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The largest that the setting WINDOW_MAX may be. */
const LARGEST_WINDOW_SIZE = 10_000;
/** The default of the setting WINDOW_GAP_S, s. */
const DEFAULT_GAP_S = 300;
/** Width of an output that is no terminal. */
const PLAIN_COLUMNS = 80;

/** Standard streams of the command. `columns`: width of the terminal. */
interface Streams {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: { write(text: string): unknown; readonly columns?: number | undefined };
  readonly stderr: { write(text: string): unknown };
}

/**
 * `mirzam backtest`: tries a rule on measurements of the past, without the service. Returns the exit code: 0, or 2 for
 * unusable arguments or files. Never throws.
 */
export async function backtestCommand(args: readonly string[], streams: Streams): Promise<0 | 2> {
  try {
    const given = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values;
    if (given.help === true) {
      streams.stdout.write(USAGE);
      return 0;
    }
    const { rule: ruleFile, csv: csvFile, time } = required(given);
    const metrics = metricsIn(given.metric ?? []);
    if (ruleFile === '-' && csvFile === '-') throw new Error('only one file can be -, the standard input');
    const rule = await read(ruleFile, streams.stdin, ruleIn);
    const facts = await read(csvFile, streams.stdin, (bytes) =>
      csvFacts(csvTable(bytes.toString('utf8')), { time, metrics }),
    );
    const tried = checkedBacktest(facts, {
      rule,
      windowsize: numberOf(given.windowsize),
      gap: numberOf(given.gap),
    });
    const missing = compiled(tried.rule.condition).metrics.filter((metric) => !metrics.has(metric));
    if (missing.length > 0) {
      streams.stderr.write(
        `mirzam backtest: the rule is never evaluated: no --metric gives ${missing.join(', ')}; add --metric ${missing[0]}=COLUMN\n`,
      );
    }
    const result = backtest(tried);
    streams.stdout.write(
      given.json === true
        ? `${JSON.stringify(backtestAnswer(result), undefined, 2)}\n`
        : backtestReport(tried, result, streams.stdout.columns ?? PLAIN_COLUMNS),
    );
    return 0;
  } catch (error) {
    streams.stderr.write(`mirzam backtest: ${error instanceof Error ? error.message : String(error)}\n`);
    streams.stderr.write('Run "mirzam backtest --help" for what it takes.\n');
    return 2;
  }
}

/** Checks a backtest as the policy API does. Throws an `Error` with every problem, which names lines of the file. */
function checkedBacktest(facts: readonly CsvFact[], rest: Readonly<Record<string, unknown>>) {
  const reader = backtestReader({
    metrics: { any: true, listed: [] },
    windowMax: LARGEST_WINDOW_SIZE,
    gapS: DEFAULT_GAP_S,
  });
  try {
    return reader({ ...rest, facts: facts.map(({ fact }) => fact) }, DEFAULT_WINDOW_SIZE);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Error(withLines(error.message, facts), { cause: error });
  }
}

interface NeededOptions {
  readonly rule?: string | undefined;
  readonly csv?: string | undefined;
  readonly time?: string | undefined;
}

function required({ rule, csv, time }: NeededOptions) {
  if (rule === undefined || csv === undefined || time === undefined) {
    throw new Error('--rule, --csv and --time are required');
  }
  return { rule, csv, time };
}

function metricsIn(pairs: readonly string[]): ReadonlyMap<string, string> {
  if (pairs.length === 0) throw new Error('--metric is required, such as --metric cpu=value');
  const metrics = new Map<string, string>();
  for (const pair of pairs) {
    const [, metric, column] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
    if (metric === undefined || column === undefined) {
      throw new Error(`--metric must be NAME=COLUMN, such as cpu=value, not ${JSON.stringify(pair)}`);
    }
    // The time of a measurement is its member `at`.
    if (metric === 'at' || !(isOfDocument(metric) || isMetricName(metric))) {
      throw new Error(
        `--metric: ${JSON.stringify(metric)} is no metric; allowed: cpu, mem, hdd, net, and other names of letters, digits and _, ` +
          'no digit first, not at, any, all, not or an attribute of a measurement',
      );
    }
    if (metrics.has(metric)) throw new Error(`--metric names ${metric} twice`);
    metrics.set(metric, column);
  }
  return metrics;
}

/** Parses the file of a rule. */
function ruleIn(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    // The words of the API speak of the body of a request.
    throw new Error((error as Error).message.replace(/^the body /, 'the file '), { cause: error });
  }
}

/** Returns the number of an option. Any other text is returned as it is: the check says what is wrong with it. */
function numberOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}

async function read<T>(name: string, stdin: Streams['stdin'], parse: (bytes: Buffer) => T): Promise<T> {
  try {
    return parse(name === '-' ? await buffered(stdin) : await readFile(name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${name}: ${code === 'ENOENT' ? 'there is no such file' : message}`, { cause: error });
  }
}

async function buffered(stdin: Streams['stdin']): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts);
}
