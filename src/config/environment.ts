import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from './config.js';
import type { Environment } from './read-values.js';

/**
 * The environment of this process, over what a `.env` file says where there is one. The file's variables do not
 * become the process's own, so no child process inherits its secrets. Throws `ConfigError` for a file that is there
 * and cannot be read.
 */
export function readEnvironment(file: string = '.env'): Environment {
  return { ...parseEnv(textOf(file)), ...process.env };
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
