import type { Command } from 'commander';
import type { Environment } from '../config/read-values.js';

/** 0: done. 1: no (a difference, a failed test, not verified, a broken part). 2: wrong use, wrong settings or a fault. */
export type ExitCode = 0 | 1 | 2;

/** Standard streams of a command. `columns`: width of the terminal; undefined if it is none. */
export interface CommandStreams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: { write(text: string): unknown; readonly columns?: number | undefined };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

/** What a command gets. */
export interface CommandContext extends CommandStreams {
  readonly version: string;
  /** Reads the environment and the file .env. Throws a `ConfigError` for an unreadable file. */
  readonly environment: () => Environment;
  /** Makes the program with all its commands, which takes longer than with one. */
  readonly program: () => Promise<Command>;
  /**
   * Makes the action of a command from a function that returns the exit code; undefined while the service runs on. Writes
   * an error that it throws to the standard error, and exits with 2, or with the code of a `Failure`.
   */
  readonly ending: <A extends unknown[]>(
    act: (...given: A) => Promise<ExitCode | undefined>,
  ) => (...given: A) => Promise<void>;
}

/** Makes a command: its name, options and action. Modules that only the action needs are imported by the action. */
export type CommandBuilder = (context: CommandContext) => Command;

/** A fault that no other arguments would avoid, such as a service that does not answer. The message is for the user. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly code: ExitCode;

  constructor(
    message: string,
    { code = 2, cause }: { readonly code?: ExitCode; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
