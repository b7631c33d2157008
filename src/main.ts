#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { runCommandLine } from './command/command-line.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// The reader of a pipe may end first, as `head` does.
process.stdout.on('error', () => process.exit(2));
const code = await runCommandLine(process.argv.slice(2), { streams: process, version });
if (code !== undefined) {
  // A pipe takes 64 KiB at once, and an exit would lose what is left. Connections that a command leaves open hold up no exit.
  for (const stream of [process.stdout, process.stderr])
    await new Promise((written) => stream.write('', written));
  process.exit(code);
}
