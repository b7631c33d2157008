import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endProcess } from './programs.js';

/** A Python with the package apprise of PyPI. APPRISE_PYTHON names another one. */
const PYTHON = process.env['APPRISE_PYTHON'] ?? 'python3';
const SCRIPT = fileURLToPath(new URL('../../../spec/servers/apprise-stand-in.py', import.meta.url));

/** A server that takes the requests of the Apprise API, and has Apprise's library pass them on. */
export interface AppriseServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** True if Apprise is installed. False after a line on the console; with CI=true throws an `Error` instead. */
export function hasApprise(): boolean {
  if (spawnSync(PYTHON, ['-c', 'import apprise']).status === 0) return true;
  const missing = `${PYTHON} has no apprise; python3 -m venv DIR && DIR/bin/pip install apprise, and name DIR/bin/python in APPRISE_PYTHON`;
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.log(`Skipping the messages to Apprise: ${missing}`);
  return false;
}

/** Starts the server. `target`: the url of Apprise that each message is passed on to. */
export async function startApprise(target: string): Promise<AppriseServer> {
  const child: ChildProcess = spawn(PYTHON, [SCRIPT, target], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => endProcess(child),
  };
}
