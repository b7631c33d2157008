import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from './config.js';
import type { Environment } from './read-values.js';

/**
 * Returns the variables of a `.env` file, if present, overridden by the environment of the process. Leaves `process.env` as
 * it is: child processes do not inherit the file's secrets. Throws a `ConfigError` for an unreadable file.
 */
export function readEnvironment(file: string = '.env'): Environment {
  return { ...parseEnv(textOf(file)), ...process.env };
}

/** Returns the names of the variables in a `.env` file. Throws a `ConfigError` for an unreadable file. */
export function namesInFile(file: string = '.env'): readonly string[] {
  return Object.keys(parseEnv(textOf(file)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new ConfigError([`${file} cannot be read (${code}): make it a readable file, or remove it`]);
  }
}
