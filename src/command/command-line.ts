import { Command, CommanderError } from 'commander';
import { readEnvironment } from '../config/environment.js';
import type { Environment } from '../config/read-values.js';
import { COMMANDS, type ListedCommand } from './commands.js';
import { type CommandContext, type CommandStreams, type ExitCode, Failure } from './context.js';

const ABOUT = 'Rules over measurements of servers, and a ledger of NGSI-LD operations.';

const MORE = `
Without a command, mirzam starts the service. The settings of the service are environment variables, or lines of the
file .env in the current folder. Commands that ask a service find it at MIRZAM_URL.

Exit codes: 0 done, 1 no (a difference, a failed test, not verified, a broken part), 2 wrong use, wrong settings or a
fault.`;

/** What a command line needs besides its words. */
export interface CommandLineOptions {
  readonly streams: CommandStreams;
  readonly version: string;
  /** By default that of the process, with the file .env of the current folder. */
  readonly environment?: () => Environment;
  /** By default all. */
  readonly commands?: readonly ListedCommand[];
}

/**
 * Runs a command line, without the name of the program. Returns the exit code; undefined while the service runs on. Loads
 * only the modules of the command that is asked for. Never throws.
 */
export async function runCommandLine(
  words: readonly string[],
  options: CommandLineOptions,
): Promise<ExitCode | undefined> {
  const { commands = COMMANDS } = options;
  const [first, second] = words;
  // The parser would print the help of the program for "help" of an unknown command.
  const isUnknown = second !== undefined && !commands.some(({ name }) => name === second);
  const args = words.length === 0 ? ['serve'] : first === 'help' && isUnknown ? [second] : words;
  const asked = args[0] === 'help' ? second : args[0];
  let code: ExitCode | undefined = 0;
  const context = contextOf(options, (given) => {
    code = given;
  });
  const program = await programOf(context, (name) => name === asked, options.commands);
  configure(program, options.streams);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** Makes the program. The commands that are not `wanted` have a name and a summary only. */
async function programOf(
  context: CommandContext,
  wanted: (name: string) => boolean,
  commands = COMMANDS,
): Promise<Command> {
  const program = new Command('mirzam').description(ABOUT).version(context.version);
  program.usage('[COMMAND] [options]').addHelpText('after', MORE);
  for (const { name, summary, load } of commands) {
    const command = wanted(name) ? (await load())(context) : new Command(name);
    program.addCommand(command.summary(summary).description(command.description() || `${summary}.`));
  }
  return program;
}

/** Has a command and those below it write to the streams, and throw a `CommanderError` instead of ending the process. */
function configure(command: Command, streams: CommandStreams): void {
  const { stdout, stderr } = streams;
  command
    .exitOverride()
    .showHelpAfterError(`Run "${pathOf(command)} --help" for what it takes.`)
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stdout.columns ?? 100,
      outputError: (text, write) => write(text.replace(/^error: /, `${pathOf(command)}: `)),
    });
  for (const child of command.commands) configure(child, streams);
}

function contextOf(
  { streams, version, environment = readEnvironment, commands }: CommandLineOptions,
  ends: (code: ExitCode | undefined) => void,
): CommandContext {
  const context: CommandContext = {
    ...streams,
    version,
    environment,
    program: () => programOf(context, () => true, commands),
    ending:
      (act) =>
      async (...given) => {
        // The parser passes the command last.
        const command = given.at(-1) as Command;
        try {
          ends(await act(...given));
        } catch (error) {
          streams.stderr.write(
            `${pathOf(command)}: ${error instanceof Error ? error.message : String(error)}\n`,
          );
          if (!(error instanceof Failure)) {
            streams.stderr.write(`Run "${pathOf(command)} --help" for what it takes.\n`);
          }
          ends(error instanceof Failure ? error.code : 2);
        }
      },
  };
  return context;
}

/** Returns the words that call a command, such as `mirzam rules diff`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
