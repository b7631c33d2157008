import { Readable } from 'node:stream';
import { runCommandLine } from '../../src/command/command-line.js';

/** What a command line has left. */
export interface CommandRun {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process, with an environment of its own. */
export async function runWords(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<CommandRun> {
  let [out, err] = ['', ''];
  const streams = {
    stdin: Readable.from([]),
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  };
  const options = { streams, version: '1.2.3', environment: () => environment };
  return { code: await runCommandLine(words, options), out, err };
}
