import { Command } from 'commander';
import { compiled } from '../../policy/rules/compiled.js';
import type { RuleDraft } from '../../policy/rules/rule.js';
import { DEFAULT_WINDOW_SIZE } from '../../policy/tenant/tenant-machine.js';
import { type CommandBuilder, type CommandContext, type ExitCode, Failure } from '../context.js';
import { writeText } from '../files.js';
import { junitReport, type RunTest } from './junit.js';
import { titleOf } from './plan.js';
import { readRules } from './read-rules.js';
import type { ReadTest } from './read-tests.js';
import { readSeries } from './series.js';
import { differencesOf, outcomeText } from './verdict.js';

const MORE = `
No service is needed. Prints each test with its outcome. Exits with 0 if all tests pass, with 1 if one fails, and with 2 if
one cannot be run.`;

interface Given {
  readonly junit?: string;
}

/** `mirzam rules test`: plays the series of the tests of files to their rules. */
export const testCommand: CommandBuilder = (context) =>
  new Command('test')
    .summary('tries the rules of files on series of measurements')
    .description('Tries the rules of files on series of measurements, and compares what they would send.')
    .argument('<FILE...>', 'the files of one tenant')
    .option('--junit <FILE>', 'writes a report in the format of JUnit')
    .addHelpText('after', MORE)
    .action(context.ending((files: readonly string[], given: Given) => tested(files, given, context)));

async function tested(
  files: readonly string[],
  { junit }: Given,
  { stdin, stdout }: CommandContext,
): Promise<ExitCode> {
  const { wanted, tests } = await readRules(files, stdin);
  if (tests.length === 0) throw new Failure('these files have no tests');
  const run: RunTest[] = [];
  for (const test of tests) {
    const { list, rule } = test.series;
    const { draft } = wanted.lists.get(list)!.find((one) => one.draft.name === rule)!;
    const { outcome, ...done } = await ranTest(test, draft, wanted.windowsize ?? DEFAULT_WINDOW_SIZE);
    run.push(done);
    const word = done.error === undefined ? (done.failure === undefined ? 'ok    ' : 'FAIL  ') : 'ERROR ';
    const why = [done.failure ?? done.error ?? ''].filter((text) => text !== '');
    stdout.write([`${word}${done.name}${outcome}`, ...why.flatMap((text) => indented(text)), ''].join('\n'));
  }
  const [failed, broken] = [countOf(run, 'failure'), countOf(run, 'error')];
  const all = `${run.length} ${run.length === 1 ? 'test' : 'tests'}`;
  stdout.write(`${all}: ${run.length - failed - broken} ok, ${failed} failed, ${broken} could not be run\n`);
  if (junit !== undefined) await writeText(junit, junitReport(run));
  return broken > 0 ? 2 : failed > 0 ? 1 : 0;
}

function countOf(tests: readonly RunTest[], member: 'failure' | 'error'): number {
  return tests.filter((one) => one[member] !== undefined).length;
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `      ${line}`);
}

/** Runs a test. `windowsize`: that of a test without one. */
async function ranTest(
  { series, expected, file }: ReadTest,
  rule: RuleDraft,
  windowsize: number,
): Promise<RunTest & { readonly outcome: string }> {
  const begun = performance.now();
  const name = `${titleOf(series.list, series.rule)} on ${series.csv}`;
  const ended = { file, name, seconds: 0, failure: undefined, error: undefined };
  const seconds = (): number => (performance.now() - begun) / 1000;
  try {
    const result = (await readSeries(series)).play(rule, windowsize);
    const missing = compiled(rule.condition).metrics.filter((metric) => !series.metrics.has(metric));
    const note = missing.length === 0 ? '' : `; never evaluated: no column for ${missing.join(', ')}`;
    const failure = differencesOf(result, expected).join('\n');
    const outcome = `: ${outcomeText(result)}${note}`;
    return { ...ended, seconds: seconds(), failure: failure === '' ? undefined : failure, outcome };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...ended, seconds: seconds(), error: error.message, outcome: '' };
  }
}
