import { Command } from 'commander';
import { type CommandBuilder, type CommandContext, type ExitCode, Failure } from '../context.js';
import { contentOf, writeText } from '../files.js';

const MORE = `
Prints a file for "mirzam rules" with a rule for each alert that can be one. Comments name the others, each with the reason, and
the series that Prometheus has to send, with their recording rules. No service is needed. Exits with 0 if each alert is a rule, with
1 if one is refused, and with 2 if a file cannot be read. The page /docs/coming-from of a service describes how alerts become
rules.`;

/** The address of the mails without --email. No mail server delivers to it. */
const EXAMPLE_EMAIL = 'ops@example.org';

interface Given {
  readonly prometheus: readonly string[];
  readonly email: string;
  readonly recordingRules?: string;
  readonly force?: true;
}

/** `mirzam rules import`: makes rules of the alerting rules of Prometheus. */
export const importRulesCommand: CommandBuilder = (context) =>
  new Command('import')
    .summary('makes rules of alerting rules of Prometheus')
    .description('Makes rules of alerting rules of Prometheus, and prints them as a file.')
    .requiredOption('--prometheus <FILE...>', 'rule files of Prometheus; - is the standard input')
    .option('--email <ADDRESS>', 'the address for the mails of the rules', EXAMPLE_EMAIL)
    .option('--recording-rules <FILE>', 'writes the recording rules as a rule file of Prometheus')
    .option('--force', 'replaces a FILE of recording rules that exists')
    .addHelpText('after', MORE)
    .action(context.ending((given: Given) => importedRules(given, context)));

async function importedRules(given: Given, { stdin, stdout, stderr }: CommandContext): Promise<ExitCode> {
  const { prometheus: names, email } = given;
  if (names.filter((name) => name === '-').length > 1)
    throw new Failure('only one file can be -, the standard input');
  const [{ rulesOf }, { imported }, { fileOf, recordingRules }] = await Promise.all([
    import('./alerting-rules.js'),
    import('./imported-rules.js'),
    import('./imported-file.js'),
  ]);
  const files = await Promise.all(
    names.map((name) => contentOf(name, stdin, (bytes) => rulesOf(name, bytes.toString('utf8')))),
  );
  const made = imported(files, email);
  if (made.rules.length + made.refused.length === 0) throw new Failure('these files have no alerting rules');
  if (given.recordingRules !== undefined) {
    await writeText(given.recordingRules, recordingRules(made), { isNew: given.force !== true });
  }
  stdout.write(fileOf(made, names, email));
  if (made.refused.length === 0) return 0;
  const list = made.refused.map(({ alert }) => alert.name).join(', ');
  stderr.write(`refused, with the reason in the file: ${list}\n`);
  return 1;
}
