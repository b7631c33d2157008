import { Command } from 'commander';
import { isMetricName } from '../config/metrics.js';
import { csvBacktest, DEFAULT_GAP_S } from '../policy/http/offline-backtest.js';
import { backtest, backtestAnswer } from '../policy/backtest/backtest.js';
import { backtestReport } from '../policy/backtest/backtest-report.js';
import { csvFacts, csvTable } from '../policy/backtest/csv-facts.js';
import { compiled } from '../policy/rules/compiled.js';
import { isOfDocument } from '../policy/rules/metrics.js';
import { DEFAULT_WINDOW_SIZE } from '../policy/tenant/tenant-machine.js';
import { parseJson } from '../untrusted/json-text.js';
import type { CommandBuilder, CommandStreams, ExitCode } from './context.js';
import { contentOf } from './files.js';

/** Options as the parser gives them. */
interface Given {
  readonly rule?: string;
  readonly csv?: string;
  readonly time?: string;
  readonly metric?: readonly string[];
  readonly windowsize?: string;
  readonly gap?: string;
  readonly json?: true;
}

/** Width of an output that is not a terminal. */
const PLAIN_COLUMNS = 80;

/** `mirzam backtest`: tries a rule on measurements of the past, without the service. */
export const backtestCommand: CommandBuilder = (context) =>
  new Command('backtest')
    .description(
      'Prints the messages that a rule would have sent for measurements of the past. No service is needed.',
    )
    .usage('--rule FILE --csv FILE --time COLUMN --metric NAME=COLUMN [options]')
    .option('--rule <FILE>', 'the rule as JSON, as the policy API takes it')
    .option('--csv <FILE>', 'the measurements: a header, then one line for each, in the order of their times')
    .option(
      '--time <COLUMN>',
      'the column with the times: ISO 8601, without a zone UTC, or seconds since 1970',
    )
    .option(
      '--metric <NAME=COLUMN>',
      'the column of a metric, such as cpu=value; several times for several metrics',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .option('--windowsize <N>', `number of values of a full window; by default ${DEFAULT_WINDOW_SIZE}`)
    .option(
      '--gap <S>',
      `a longer pause, in seconds, empties a window; 0 never does; by default ${DEFAULT_GAP_S}`,
    )
    .option('--json', 'the answer of the policy API instead of a chart')
    .addHelpText('after', '\nA file named - is the standard input.')
    .action(context.ending((given: Given) => tried(given, context)));

async function tried(given: Given, { stdin, stdout, stderr }: CommandStreams): Promise<ExitCode> {
  const { rule: ruleFile, csv: csvFile, time } = required(given);
  const metrics = metricsIn(given.metric ?? []);
  if (ruleFile === '-' && csvFile === '-') throw new Error('only one file can be -, the standard input');
  const rule = await contentOf(ruleFile, stdin, ruleIn);
  const facts = await contentOf(csvFile, stdin, (bytes) =>
    csvFacts(csvTable(bytes.toString('utf8')), { time, metrics }),
  );
  const checked = csvBacktest(facts, {
    rule,
    windowsize: numberOf(given.windowsize),
    gap: numberOf(given.gap),
  });
  const missing = compiled(checked.rule.condition).metrics.filter((metric) => !metrics.has(metric));
  if (missing.length > 0) {
    stderr.write(
      `mirzam backtest: the rule is never evaluated: no --metric gives ${missing.join(', ')}; add --metric ${missing[0]}=COLUMN\n`,
    );
  }
  const result = backtest(checked);
  stdout.write(
    given.json === true
      ? `${JSON.stringify(backtestAnswer(result), undefined, 2)}\n`
      : backtestReport(checked, result, stdout.columns ?? PLAIN_COLUMNS),
  );
  return 0;
}

function required({ rule, csv, time }: Given) {
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
        `--metric: ${JSON.stringify(metric)} is not a metric; allowed: cpu, mem, hdd, net, and other names of letters, digits and _, ` +
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
