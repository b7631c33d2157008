#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { runCommandLine } from './command/command-line.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const code = await runCommandLine(process.argv.slice(2), { streams: process, version });
// Connections that a command leaves open hold up no exit.
if (code !== undefined) process.exit(code);
